// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline double* kept = nullptr;
constexpr deed::codelet it{"it", deed::cuda{[](deed::gpu::enqueue& queue, deed::gpu::device_span<double> x) {
  double* const here = queue.native(x);
  static_cast<void>(here);
}}};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(it, deed::read_write(c));
}
