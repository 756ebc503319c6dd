// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  const int rank = session.rank();
  if (rank == 0) session.wait();  // D404
}

void program(deed::session& session) {
  act(session);
}
