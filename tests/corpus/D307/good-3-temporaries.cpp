// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  *session.borrow(deed::write(mine)) = 1;
  std::cout << *session.borrow(deed::read(mine));
}
