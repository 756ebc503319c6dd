// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& mine) {
  const int rank = session.rank();
  session.send(deed::read(mine), deed::to{rank}, deed::message_tag{3});
  auto arrived = session.ireceive(deed::write(mine), deed::from{rank}, deed::message_tag{3});
  arrived.wait();
  session.send(deed::read(mine), deed::to{rank}, deed::message_tag{3});
  arrived = session.ireceive(deed::write(mine), deed::from{rank}, deed::message_tag{3});
  arrived.wait();
}
