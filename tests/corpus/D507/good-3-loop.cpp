// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  const int size = session.size();
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto got = session.register_data(deed::per_rank, 0.0, {.name = "got"});
  for (int i = 0; i < 3; ++i) {
    session.receive(deed::write(got), deed::from{(rank + size - 1) % size}, deed::message_tag{i});
    session.send(deed::read(mine), deed::to{(rank + 1) % size}, deed::message_tag{i});
  }
}
