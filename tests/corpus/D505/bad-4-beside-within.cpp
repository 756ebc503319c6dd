// SPDX-License-Identifier: MIT
#include "common.hpp"

// A message within a group is another one than that of the session with the same tag.
void program(deed::session& session) {
  constexpr deed::message_tag tag{3};
  auto both = session.group({deed::rank{0}, deed::rank{1}});
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  if (session.rank() == 0) {
    session.send(deed::read(mine), deed::to{1}, tag);
    session.send(deed::read(mine), deed::to{1}, tag, deed::within(both));
  }
  if (session.rank() == 1)
    session.receive(deed::write(mine), deed::from{0}, tag, deed::within(both));
  session.wait();
}
