// SPDX-License-Identifier: MIT
#include "common.hpp"

// Round the members of each half, in both ways at once; the tag is that of another message.
void program(deed::session& session) {
  constexpr deed::message_tag tag{3};
  const int me = session.rank(), size = session.size();
  std::vector<deed::rank> members;
  for (int r = me % 2; r < size; r += 2) members.emplace_back(r);
  auto half = session.group(members);
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  auto in = session.register_data(deed::per_rank, 0.0, {.name = "in"});
  const int next = (half.rank() + 1) % half.size();
  const int before = (half.rank() + half.size() - 1) % half.size();
  session.send(deed::read(mine), deed::to{next}, tag, deed::within(half));
  session.receive(deed::write(in), deed::from{before}, tag, deed::within(half));
  session.send(deed::read(mine), deed::to{(me + 1) % size}, tag);
  session.receive(deed::write(in), deed::from{(me + size - 1) % size}, tag);
  session.wait();
}
