// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;
  deed::handle<double> mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});

  void act() {
    auto first = session.make_gate("first"), second = session.make_gate("second");
    session.insert_task(bump, deed::read_write(mine), deed::behind(first), deed::opens(second));
    session.insert_task(bump, deed::read_write(mine), deed::behind(second));
    first.open();
    session.wait();
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
