// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

constexpr deed::codelet east{"relax", [](double& x) { x += 1; }};
constexpr deed::codelet west{"relax", [](double& x) { x -= 1; }};  // D911

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(east, deed::read_write(a));
  session.insert_task(west, deed::read_write(a));
}
