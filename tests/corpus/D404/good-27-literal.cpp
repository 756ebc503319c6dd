// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 1.0 + session.rank(), {.name = "mine"});
  auto most = session.register_data(deed::per_rank, 0.0);
  double rest = 1.5, own = 0.5;
  bool failed = false;
  for (int i = 0; i < 100; ++i) {
    session.barrier();
    session.all_reduce(deed::read(mine), deed::write(most), std::plus<>{});
    rest = *session.borrow(deed::read(most));
    if (rest < 1e-3) break;
    if (session.rank() == 0) own = *session.borrow(deed::read(mine));
    own = session.broadcast(deed::value(own), deed::from{0});
    if (own < 1e-3) break;
    if (*session.borrow(deed::read(mine)) < 1e-3) failed = true;
    failed = session.any(failed);
    if (failed) break;
  }
  session.wait();
}
