// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

template <class T>
void act(deed::session& session, deed::handle<T>& a) {
  session.insert_task(bump, deed::read_write(a));
  if (session.owns(a)) {
    auto view = session.borrow(deed::read(a));
    std::cout << *view;
  }
  std::move(a).unregister();
}

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  act(session, a);
}
