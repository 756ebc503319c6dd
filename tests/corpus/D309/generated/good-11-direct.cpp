// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  session.fetch(deed::read(b), deed::everywhere);
  auto view = session.borrow(deed::read(b));
  std::cout << *view;
}
