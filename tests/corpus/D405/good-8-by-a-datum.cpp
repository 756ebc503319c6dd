// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto both = session.group({deed::rank{0}, deed::rank{1}});
  auto member = session.register_data(deed::per_rank, session.rank() < 2 ? 1.0 : 0.0);
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  session.wait();
  if (*session.borrow(deed::read(member)) < 1) return;
  session.broadcast(deed::read_write(mine), deed::from{0}, deed::within(both));
}
