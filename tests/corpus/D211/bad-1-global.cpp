// SPDX-License-Identifier: MIT
#include "common.hpp"

std::vector<double>* kept;
constexpr deed::codelet it{"it", [](std::vector<double>& v) { kept = &v; }};

void program(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, std::vector<double>(10));
  session.insert_task(it, deed::read_write(c));
}
