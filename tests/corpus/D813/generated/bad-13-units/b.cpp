// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct launch {
  deed::gpu::enqueue* right = nullptr;
};
inline launch last;
void work(deed::gpu::enqueue& queue, deed::gpu::device_span<double> x) {
  last.right = &queue;  // D813
}
