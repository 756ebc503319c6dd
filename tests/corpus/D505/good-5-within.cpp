// SPDX-License-Identifier: MIT
#include "common.hpp"

// The peers count in the group, which has the ranks in another order.
void program(deed::session& session) {
  constexpr deed::message_tag tag{3};
  auto both = session.group({deed::rank{1}, deed::rank{0}});
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  if (session.rank() == 0) session.send(deed::read(mine), deed::to{0}, tag, deed::within(both));
  if (session.rank() == 1)
    session.receive(deed::write(mine), deed::from{1}, tag, deed::within(both));
  session.wait();
}
