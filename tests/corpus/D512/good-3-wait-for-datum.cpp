// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  auto theirs = session.register_data(deed::per_rank, 0.0, {.name = "theirs"});
  session.send(deed::read(mine), deed::to{1 - rank}, deed::message_tag{1});
  double seen = *session.borrow(deed::read(mine));
  seen += 1;
  session.receive(deed::write(theirs), deed::from{1 - rank}, deed::message_tag{1});
  session.wait();
}
