// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline deed::gpu::enqueue* kept = nullptr;
void work(deed::gpu::enqueue& queue, deed::gpu::device_span<double> x) {
  deed::gpu::enqueue* const here = &queue;
  static_cast<void>(here->device());
}
