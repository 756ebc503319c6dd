// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  if (rank > 0) session.send(deed::read(mine), deed::to{rank - 1}, deed::message_tag{3});  // D505
  if (rank == 0) session.receive(deed::write(mine), deed::from{1}, deed::message_tag{3});
}
