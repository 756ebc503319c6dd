// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  if (rank == 0) session.send(deed::read(mine), deed::to{1}, deed::message_tag{4});
  if (rank == 1) session.receive(deed::write(mine), deed::from{0}, deed::message_tag{4});
}
