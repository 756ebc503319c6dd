// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& mine) {
  const int rank = session.rank();
  auto got = session.register_data(deed::per_rank, 0.0, {.name = "got"});
  session.send(deed::read(mine), deed::to{rank}, deed::message_tag{3});
  auto arrived = session.ireceive(deed::write(got), deed::from{rank}, deed::message_tag{3});
  arrived.wait();
}

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  act(session, mine);
}
