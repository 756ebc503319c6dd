// SPDX-License-Identifier: MIT
#include "common.hpp"

// That all ranks begin with one literal does not make equal what they read behind it.
void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 1.0 + session.rank(), {.name = "mine"});
  double rest = 1.5;
  for (int i = 0; i < 100; ++i) {
    session.barrier();
    rest = *session.borrow(deed::read(mine));
    if (rest < 1e-3) break;
  }
  session.wait();
}
