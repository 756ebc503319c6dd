// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto both = session.group({deed::rank{0}, deed::rank{1}});
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  session.wait();
  if (session.rank() > 1) return;
  session.broadcast(deed::read_write(mine), deed::from{0}, deed::within(both));
  both.barrier();
}
