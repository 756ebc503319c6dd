// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto view = session.borrow(deed::read(mine));
  session.insert_task(bump, deed::read_write(mine));
  session.wait();  // D306
  std::cout << *view;
}
