// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  constexpr deed::message_tag tag{3};
  auto both = session.group({deed::rank{1}, deed::rank{0}});
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  if (session.rank() == 0) {
    auto sent = session.isend(deed::read(mine), deed::to{0}, tag, deed::within(both));
    sent.wait();
  }
  if (session.rank() == 1) {
    session.ireceive(deed::write(mine), deed::from{1}, tag, deed::within(both)).wait();
  }
  session.wait();
}
