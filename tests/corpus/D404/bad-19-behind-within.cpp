// SPDX-License-Identifier: MIT
#include "common.hpp"

// Who is in the group is not followed, and what its members do alone is not compared.
void program(deed::session& session) {
  auto half = session.group({deed::rank{1}});
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  auto all = session.register_data(deed::per_rank, std::vector<double>{}, {.name = "all"});
  if (half.rank() >= 0) {
    session.all_gather(deed::read(mine), deed::write(all), deed::within(half));
    half.barrier();
  }
  for (int k = 0; half.rank() >= 0 && k < half.size(); ++k)
    session.broadcast(deed::read_write(mine), deed::from{k}, deed::within(half));
  if (session.rank() == 0) session.barrier();
  session.wait();
}
