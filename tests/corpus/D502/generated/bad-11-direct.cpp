// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto got = session.register_data(deed::per_rank, 0.0, {.name = "got"});
  session.send(deed::read(mine), deed::to{rank}, deed::message_tag{3});
  auto arrived = session.ireceive(deed::write(got), deed::from{rank}, deed::message_tag{3});
  arrived.wait();
  arrived.wait();  // D502
}
