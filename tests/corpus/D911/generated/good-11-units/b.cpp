// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

constexpr deed::codelet east{"east", [](double& x) { x += 1; }};
constexpr deed::codelet west{"west", [](double& x) { x -= 1; }};

void act(deed::session& session, deed::handle<double>& a) {
  session.insert_task(east, deed::read_write(a));
  session.insert_task(west, deed::read_write(a));
}
