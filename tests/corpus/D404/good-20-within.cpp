// SPDX-License-Identifier: MIT
#include "common.hpp"

// The members of a group alone make the calls within it.
void program(deed::session& session) {
  auto both = session.group({deed::rank{1}, deed::rank{0}});
  auto mine = session.register_data(deed::per_rank, 1.0 + session.rank(), {.name = "mine"});
  auto sum = session.register_data(deed::per_rank, 0.0, {.name = "sum"});
  auto all = session.register_data(deed::owner{1}, std::vector<double>{}, {.name = "all"});
  if (session.rank() < 2) {
    session.igather(deed::read(mine), deed::write(all), deed::to{0}, deed::within(both)).wait();
    session.broadcast(deed::read_write(mine), deed::from{1}, deed::within(both));
    const auto in_group = deed::within(both);
    session.all_reduce(deed::read(mine), deed::write(sum), std::plus<>{}, in_group);
    both.barrier();
  }
  session.wait();
}
