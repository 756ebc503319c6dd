// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct launch {
  deed::gpu::enqueue* right = nullptr;
};
inline launch last;
inline void work(deed::gpu::enqueue& queue, deed::gpu::device_span<double> x) {
  launch one;
  one.right = &queue;
  static_cast<void>(one.right->device());
}
constexpr deed::codelet it{"it", deed::cuda{[](deed::gpu::enqueue& queue, deed::gpu::device_span<double> x) { work(queue, x); }}};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(it, deed::read_write(c));
}
