// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& a) {
  session.insert_task(bump, deed::read_write(a));
  if (session.owns(a)) {
    auto view = session.borrow(deed::read(a));
    std::cout << *view;
  }
  std::move(a).unregister();
}
