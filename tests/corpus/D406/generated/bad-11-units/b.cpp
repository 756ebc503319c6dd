// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& a, deed::handle<double>& b) {
  const int rank = session.rank();
  for (int i = 0; i < 2 + rank; ++i) {
    session.insert_task(add, deed::read_write(a), deed::read(b));  // D406
  }
}
