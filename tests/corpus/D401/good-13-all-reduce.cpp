// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 1.0 + session.rank(), {.name = "mine"});
  auto sum = session.register_data(deed::per_rank, 0.0, {.name = "sum"});
  auto shared = session.register_data(deed::owner{0}, 1.0, {.name = "shared"});
  session.all_reduce(deed::read(mine), deed::write(sum), std::plus<>{});
  if (*session.borrow(deed::read(sum)) < 0.1) session.insert_task(bump, deed::read_write(shared));
  session.wait();
}
