// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline std::vector<deed::gpu::enqueue*> kept;
void work(deed::gpu::enqueue& queue, deed::gpu::device_span<double> x) {
  std::vector<deed::gpu::enqueue*> mine;
  mine.push_back(&queue);
  static_cast<void>(queue.native(x));
}
