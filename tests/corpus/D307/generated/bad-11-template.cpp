// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

template <class T>
void act(deed::session& session, deed::handle<T>& mine) {
  auto x = session.borrow(deed::write(mine));
  auto y = session.borrow(deed::read(mine));  // D307
  *x = *y;
}

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  act(session, mine);
}
