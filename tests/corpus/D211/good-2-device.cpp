// SPDX-License-Identifier: MIT
#include "common.hpp"

std::size_t kept;
void count(deed::gpu::device_span<const double>);
constexpr deed::codelet it{
    "it", deed::cuda{[](deed::gpu::enqueue&, deed::gpu::device_span<double> x) { count(x); }}};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(it, deed::read_write(c));
}
