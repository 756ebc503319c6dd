// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

template <class T>
void act(deed::session& session, deed::handle<T>& mine) {
  auto view = session.borrow(deed::read(mine));
  session.insert_task(show, deed::read(mine));
  session.wait();
  std::cout << *view;
}

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  act(session, mine);
}
