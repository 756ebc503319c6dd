// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  if (rank == 0) session.insert_task(bump, deed::read_write(mine));
}
