// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& a, deed::handle<double>& b, deed::handle<double>& mine) {
  while (*session.borrow(deed::read(mine)) > 1) {
    session.insert_task(add, deed::read_write(a), deed::read(b));  // D406
    session.insert_task(bump, deed::read_write(mine));
  }
}
