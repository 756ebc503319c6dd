// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
  auto mine = session.register_data(deed::per_rank, 1.0);
  auto sum = session.register_data(deed::per_rank, 0.0);
  for (int i = 0; i < 100; ++i) {
    session.all_reduce(deed::read(mine), deed::write(sum), std::plus<>{});
    if (session.owns(x) && *session.borrow(deed::read(x)) > 50) break;
  }
  session.wait();
}
