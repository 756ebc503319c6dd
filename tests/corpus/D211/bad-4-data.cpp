// SPDX-License-Identifier: MIT
#include "common.hpp"

double* kept;
constexpr deed::codelet it{"it", [](std::span<double> v) { kept = v.data() + 1; }};

void program(deed::session& session) {
  std::vector<double> room(10);
  auto c = session.register_data(deed::owner{0}, deed::in_place(room));
  session.insert_task(it, deed::read_write(c));
}
