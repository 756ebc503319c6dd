// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  const int size = session.size();
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  if (rank > 0) session.receive(deed::write(mine), deed::from{rank - 1}, deed::message_tag{3});
  if (rank + 1 < size) session.send(deed::read(mine), deed::to{rank + 1}, deed::message_tag{3});
}
