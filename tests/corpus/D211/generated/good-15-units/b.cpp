// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline double* kept = nullptr;
void work(deed::gpu::enqueue& queue, deed::gpu::device_span<double> x) {
  double* const here = queue.native(x);
  static_cast<void>(here);
}
