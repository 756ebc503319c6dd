// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

constexpr deed::codelet it{"it", [](double& x, tile room) {
  room(0, 0) = 2;
  x = room(0, 0);
}};

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(it, deed::write(a), deed::scratch<double>({8, 8}));
}
