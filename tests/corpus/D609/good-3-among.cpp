// SPDX-License-Identifier: MIT
#include "common.hpp"

// Two groups gather at two ranks, in one call of all.
void program(deed::session& session) {
  const int mod = session.rank() % 2;
  auto alone = session.group({deed::rank{session.rank()}});
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  auto first = session.register_data(deed::per_rank, std::vector<double>{}, {.name = "first"});
  auto second = session.register_data(deed::per_rank, std::vector<double>{}, {.name = "second"});
  if (mod == 0) {
    session.gather(deed::read(mine), deed::write(first), deed::to{session.rank()},
                   deed::among(alone));
  } else {
    session.gather(deed::read(mine), deed::write(second), deed::to{session.rank()},
                   deed::among(alone));
  }
  session.wait();
}
