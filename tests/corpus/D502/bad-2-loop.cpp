// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto theirs = session.register_data(deed::per_rank, 0.0, {.name = "theirs"});
  const int rank = session.rank();
  const int size = session.size();
  auto arrived = session.ireceive(deed::write(theirs), deed::from{(rank + size - 1) % size},
                                  deed::message_tag{1});
  session.send(deed::read(mine), deed::to{(rank + 1) % size}, deed::message_tag{1});
  for (int i = 0; i < 3; ++i) arrived.wait();
}
