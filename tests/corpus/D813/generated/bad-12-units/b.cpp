// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline std::vector<deed::gpu::enqueue*> kept;
void work(deed::gpu::enqueue& queue, deed::gpu::device_span<double> x) {
  kept.push_back(&queue);  // D813
}
