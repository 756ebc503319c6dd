// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto view = session.borrow(deed::write(mine));
  session.insert_task(bump, deed::read_write(a));
  session.wait();
  std::cout << *view;
}
