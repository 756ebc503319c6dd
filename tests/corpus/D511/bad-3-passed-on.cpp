// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  const int size = session.size();
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  session.receive(deed::write(mine), deed::from{(rank + size - 1) % size}, deed::message_tag{3});
  session.send(deed::read(mine), deed::to{(rank + 1) % size}, deed::message_tag{3});
}
