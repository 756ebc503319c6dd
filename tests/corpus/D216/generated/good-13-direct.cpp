// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

constexpr deed::codelet it{"it", [](double& x, std::span<double> room) {
  for (double& each : room) each = 1;
  for (std::size_t i = 0; i < room.size(); ++i) x += room[i];
}};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::read_write(a), deed::scratch<double>(8));
}
