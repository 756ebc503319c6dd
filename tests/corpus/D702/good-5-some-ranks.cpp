// SPDX-License-Identifier: MIT
#include "common.hpp"

// Where a task waits, the gate is opened: on rank 0.
void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto start = session.make_gate("start");
  if (session.rank() == 0) session.insert_task(bump, deed::read_write(mine), deed::behind(start));
  if (session.rank() == 0) start.open();
  session.wait();
}
