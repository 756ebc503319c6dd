// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

constexpr deed::codelet east{"relax", [](double& x) { x += 1; }};
constexpr deed::codelet west{"relax", [](double& x) { x -= 1; }};  // D911

struct stage {
  deed::session& session;
  deed::handle<double> a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});

  void act() {
    session.insert_task(east, deed::read_write(a));
    session.insert_task(west, deed::read_write(a));
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
