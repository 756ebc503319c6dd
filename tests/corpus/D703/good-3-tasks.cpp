// SPDX-License-Identifier: MIT
#include "common.hpp"

// The gate wants two openings.
void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto start = session.make_gate("start", 2), other = session.make_gate("other", 2);
  session.insert_task(bump, deed::read_write(mine), deed::opens(start));
  session.insert_task(bump, deed::read_write(mine), deed::opens(start));
  other.open();
  other.open();
  session.wait();
}
