// SPDX-License-Identifier: MIT
#include "common.hpp"

double sum_of(std::span<const double>);
constexpr deed::codelet it{"it", [](std::span<double> v) {
                             std::span<double> kept;
                             kept = v.first(2);
                             v[2] = sum_of(kept);
                           }};

void program(deed::session& session) {
  std::vector<double> room(10);
  auto c = session.register_data(deed::owner{0}, deed::in_place(room));
  session.insert_task(it, deed::read_write(c));
}
