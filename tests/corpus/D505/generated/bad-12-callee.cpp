// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& mine) {
  const int rank = session.rank();
  if (rank > 0) session.send(deed::read(mine), deed::to{rank - 1}, deed::message_tag{3});  // D505
  if (rank == 0) session.receive(deed::write(mine), deed::from{1}, deed::message_tag{3});
}

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  act(session, mine);
}
