// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;
  deed::handle<double> mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});

  void act() {
    const int rank = session.rank();
    if (rank == 0) session.send(deed::read(mine), deed::to{1}, deed::message_tag{4});
    if (rank == 1) session.receive(deed::write(mine), deed::from{0}, deed::message_tag{4});
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
