// SPDX-License-Identifier: MIT
#include "common.hpp"

deed::request start(deed::session& session, deed::handle<double>& x, int to) {
  return session.isend(deed::read(x), deed::to{to}, deed::message_tag{1});
}

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto theirs = session.register_data(deed::per_rank, 0.0, {.name = "theirs"});
  const int rank = session.rank(), size = session.size();
  auto sent = start(session, mine, (rank + 1) % size);
  session.receive(deed::write(theirs), deed::from{(rank + size - 1) % size}, deed::message_tag{1});
}
