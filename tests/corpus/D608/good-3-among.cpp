// SPDX-License-Identifier: MIT
#include "common.hpp"

// Each rank alone is a group, with a root that it names in the ranks of the session.
void program(deed::session& session) {
  const int me = session.rank();
  auto alone = session.group({deed::rank{me}});
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  session.broadcast(deed::read_write(mine), deed::from{me}, deed::among(alone));
  session.wait();
}
