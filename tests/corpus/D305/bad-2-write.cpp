// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet list{"list", [](std::span<const double> v) { std::cout << v[0]; }};

void program(deed::session& session) {
  std::vector<double> buffer(100);
  auto c = session.register_data(deed::owner{0}, deed::in_place(buffer));
  session.insert_task(list, deed::read(c));
  buffer[3] = 4;
}
