// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;
  deed::handle<double> mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});

  void act() {
    const int rank = session.rank();
    const int size = session.size();
    session.isend(deed::read(mine), deed::to{(rank + 1) % size}, deed::message_tag{1}).wait();  // D512
    session.receive(deed::write(mine), deed::from{(rank + size - 1) % size}, deed::message_tag{1});
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
