// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  const int peer = 1 - rank;
  if (rank == 0) {
    session.send(deed::read(mine), deed::to{peer}, deed::message_tag{1});
    session.receive(deed::write(mine), deed::from{peer}, deed::message_tag{2});
  } else if (rank == 1) {
    session.receive(deed::write(mine), deed::from{peer}, deed::message_tag{1});
    session.send(deed::read(mine), deed::to{peer}, deed::message_tag{2});
  }
}
