// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void work(deed::gpu::enqueue& queue, deed::gpu::device_span<double> x);  // In b.cpp.
constexpr deed::codelet it{"it", deed::cuda{[](deed::gpu::enqueue& queue, deed::gpu::device_span<double> x) { work(queue, x); }}};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(it, deed::read_write(c));
}
