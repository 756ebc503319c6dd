// SPDX-License-Identifier: MIT
#include "common.hpp"

// A call of all ranks beside one of a group.
void program(deed::session& session) {
  auto both = session.group({deed::rank{1}, deed::rank{0}});
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  auto sum = session.register_data(deed::per_rank, 0.0, {.name = "sum"});
  if (session.rank() < 2) {
    session.broadcast(deed::read_write(mine), deed::from{0}, deed::within(both));
    if (session.rank() == 0) {
      session.all_reduce(deed::read(mine), deed::write(sum), std::plus<>{});
    }
  }
  session.wait();
}
