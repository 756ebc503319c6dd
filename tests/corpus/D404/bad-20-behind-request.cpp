// SPDX-License-Identifier: MIT
#include "common.hpp"

// Members wait for what they have begun within their group, and the ranks go on together.
void program(deed::session& session) {
  auto half = session.group({deed::rank{1}});
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  auto all = session.register_data(deed::per_rank, std::vector<double>{}, {.name = "all"});
  if (half.rank() >= 0) {
    session.iall_gather(deed::read(mine), deed::write(all), deed::within(half)).wait();
    auto sent = session.ibroadcast(deed::read_write(mine), deed::from{0}, deed::within(half));
    sent.wait();
  }
  if (session.rank() == 0) session.barrier();
  session.wait();
}
