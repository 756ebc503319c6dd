// SPDX-License-Identifier: MIT
#include "common.hpp"

deed::gpu::enqueue* kept;
constexpr deed::codelet it{"it", deed::cuda{[](deed::gpu::enqueue& queue,
                                               deed::gpu::device_span<double>) { kept = &queue; }}};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(it, deed::read_write(c));
}
