// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto x = session.borrow(deed::read(mine));
  auto y = session.borrow(deed::read(mine));
  std::cout << *x + *y;
}
