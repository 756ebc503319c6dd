// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline std::vector<deed::gpu::device_ptr<double>> kept;
void work(deed::gpu::enqueue& queue, deed::gpu::device_span<double> x) {
  std::vector<deed::gpu::device_ptr<double>> mine;
  mine.push_back(x.subspan(1, 2).data());
  static_cast<void>(queue.device());
}
