// SPDX-License-Identifier: MIT
#include "common.hpp"

extern const bool rank_known;

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto view = session.borrow(deed::read(mine));
  if (rank_known) session.insert_task(bump, deed::read_write(mine));
  session.wait();
}
