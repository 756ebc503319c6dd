// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto sent = session.register_data(deed::per_rank, 0.0, {.name = "sent"});
  auto view = session.borrow(deed::write(mine));
  session.receive(deed::write(mine), deed::from{(session.rank() + 1) % session.size()},
                  deed::message_tag{1});
  session.send(deed::read(sent), deed::to{(session.rank() + session.size() - 1) % session.size()},
               deed::message_tag{1});
  session.wait();
}
