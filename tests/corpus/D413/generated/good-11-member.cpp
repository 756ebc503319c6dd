// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;
  deed::handle<double> mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});

  void act() {
    auto other = session.register_data(deed::per_rank, 1.0);
    session.insert_task(add, deed::read_write(mine), deed::read(other));
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
