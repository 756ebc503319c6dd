// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto first = session.make_gate("first"), second = session.make_gate("second");
  session.insert_task(bump, deed::read_write(mine), deed::behind(first), deed::opens(second));
  session.insert_task(bump, deed::read_write(mine), deed::behind(second));
  first.open();
  session.wait();
}
