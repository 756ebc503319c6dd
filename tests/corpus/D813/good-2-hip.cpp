// SPDX-License-Identifier: MIT
#include "common.hpp"

struct later {
  static inline int device = 0;
};
void hold(deed::gpu::enqueue& queue, deed::gpu::device_span<double> x) {
  static_cast<void>(queue.native(x));
}
constexpr deed::codelet it{"it", deed::cpu{[](std::vector<double>& v) { v[0] = 1; }},
                           deed::hip{hold}};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(it, deed::read_write(c));
}
