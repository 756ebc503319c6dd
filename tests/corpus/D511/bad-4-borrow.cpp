// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  const int size = session.size();
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  auto theirs = session.register_data(deed::per_rank, 0.0, {.name = "theirs"});
  session.receive(deed::write(theirs), deed::from{(rank + size - 1) % size}, deed::message_tag{1});
  double left = *session.borrow(deed::read(theirs));
  session.send(deed::read(mine), deed::to{(rank + 1) % size}, deed::message_tag{1});
  session.wait();
  left += 1;
}
