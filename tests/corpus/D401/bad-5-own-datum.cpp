// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0 + session.rank(), {.name = "mine"});
  auto shared = session.register_data(deed::owner{0}, 1.0, {.name = "shared"});
  if (*session.borrow(deed::read(mine)) > 0) session.insert_task(bump, deed::read_write(shared));
}
