// SPDX-License-Identifier: MIT
#include "common.hpp"

struct later {
  static inline deed::gpu::enqueue* right = nullptr;
};
void hold(deed::gpu::enqueue& queue, deed::gpu::device_span<double>) { later::right = &queue; }
constexpr deed::codelet it{"it", deed::cpu{[](std::vector<double>& v) { v[0] = 1; }},
                           deed::hip{hold}};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(it, deed::read_write(c));
}
