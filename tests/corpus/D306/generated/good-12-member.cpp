// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;
  deed::handle<double> mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});

  void act() {
    auto view = session.borrow(deed::read(mine));
    session.insert_task(show, deed::read(mine));
    session.wait();
    std::cout << *view;
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
