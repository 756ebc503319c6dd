// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 1.0 + session.rank(), {.name = "mine"});
  while (*session.borrow(deed::read(mine)) < 5) session.insert_task(bump, deed::read_write(mine));
  session.barrier();
  session.wait();
}
