// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& b) {
  session.fetch(deed::read(b), deed::everywhere);
  auto view = session.borrow(deed::read(b));
  std::cout << *view;
}
