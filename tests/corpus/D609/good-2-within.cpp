// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int me = session.rank();
  std::vector<deed::rank> members;
  for (int r = me % 2; r < session.size(); r += 2) members.emplace_back(r);
  auto half = session.group(members);
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  auto sum = session.register_data(deed::per_rank, 0.0, {.name = "sum"});
  if (me % 2 == 0) {
    session.all_reduce(deed::read(mine), deed::write(sum), std::plus<>{}, deed::within(half));
  } else {
    session.broadcast(deed::read_write(mine), deed::from{0}, deed::within(half));
  }
  session.wait();
}
