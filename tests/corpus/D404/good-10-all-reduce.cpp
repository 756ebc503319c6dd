// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 1.0 + session.rank(), {.name = "mine"});
  auto sum = session.register_data(deed::per_rank, 0.0, {.name = "sum"});
  for (int i = 0; i < 10; ++i) {
    session.insert_task(bump, deed::read_write(mine));
    session.all_reduce(deed::read(mine), deed::write(sum), std::plus<>{});
    if (*session.borrow(deed::read(sum)) > 9) break;
    session.barrier();
  }
  session.wait();
}
