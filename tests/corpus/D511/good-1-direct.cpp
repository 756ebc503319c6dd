// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank(), size = session.size();
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  session.send(deed::read(mine), deed::to{(rank + 1) % size}, deed::message_tag{1});
  session.ireceive(deed::write(mine), deed::from{(rank + size - 1) % size}, deed::message_tag{1})
      .wait();
}
