// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& mine) {
  const int rank = session.rank();
  const int size = session.size();
  session.isend(deed::read(mine), deed::to{(rank + 1) % size}, deed::message_tag{1}).wait();  // D512
  session.receive(deed::write(mine), deed::from{(rank + size - 1) % size}, deed::message_tag{1});
}

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  act(session, mine);
}
