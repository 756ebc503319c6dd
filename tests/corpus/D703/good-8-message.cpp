// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto theirs = session.register_data(deed::per_rank, 0.0, {.name = "theirs"});
  const int rank = session.rank(), size = session.size();
  auto arrived = session.make_gate("arrived", 2);
  session.receive(deed::write(theirs), deed::from{(rank + size - 1) % size}, deed::message_tag{1},
                  deed::opens(arrived));
  session.send(deed::read(mine), deed::to{(rank + 1) % size}, deed::message_tag{1});
  session.insert_task(bump, deed::read_write(theirs), deed::behind(arrived));
  arrived.open();
  session.wait();
}
