// SPDX-License-Identifier: MIT
#include "common.hpp"

// Rank 0, and the others: the last of each is the root, which counts in the ranks of its group.
void program(deed::session& session) {
  const int me = session.rank(), size = session.size();
  std::vector<deed::rank> members;
  for (int r = me == 0 ? 0 : 1; r < (me == 0 ? 1 : size); ++r) members.emplace_back(r);
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  auto group = session.group(members);
  session.broadcast(deed::read_write(mine), deed::from{me == 0 ? 0 : size - 2},
                    deed::within(group));
  session.wait();
}
