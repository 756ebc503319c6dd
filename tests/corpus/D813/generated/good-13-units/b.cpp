// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct launch {
  deed::gpu::enqueue* right = nullptr;
};
inline launch last;
void work(deed::gpu::enqueue& queue, deed::gpu::device_span<double> x) {
  launch one;
  one.right = &queue;
  static_cast<void>(one.right->device());
}
