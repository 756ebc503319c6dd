// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 1.0 + session.rank(), {.name = "mine"});
  for (int i = 0; i < 10; ++i) {
    session.insert_task(bump, deed::read_write(mine));
    const bool large = *session.borrow(deed::read(mine)) > 5;
    if (session.any(large)) break;
    session.barrier();
  }
  session.wait();
}
