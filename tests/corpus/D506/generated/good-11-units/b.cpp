// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& mine) {
  const int rank = session.rank();
  if (rank == 0) session.send(deed::read(mine), deed::to{1}, deed::message_tag{3});
  if (rank == 1) session.receive(deed::write(mine), deed::from{0}, deed::message_tag{3});
}
