// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline deed::gpu::device_span<double> kept;
void work(deed::gpu::enqueue& queue, deed::gpu::device_span<double> x) {
  static_cast<void>(queue.native(x));
}
