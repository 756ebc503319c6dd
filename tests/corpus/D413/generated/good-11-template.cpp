// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

template <class T>
void act(deed::session& session, deed::handle<T>& mine) {
  auto other = session.register_data(deed::per_rank, 1.0);
  session.insert_task(add, deed::read_write(mine), deed::read(other));
}

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  act(session, mine);
}
