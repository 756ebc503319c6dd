// SPDX-License-Identifier: MIT
#include "common.hpp"

std::vector<double> table(100);
constexpr deed::codelet it{"it", [](double& x, std::span<const double> v) { x = v[0]; }};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto t = session.register_data(deed::owner{0}, deed::in_place(table));
  session.insert_task(it, deed::read_write(a), deed::read(t));
}
