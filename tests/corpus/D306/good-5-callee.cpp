// SPDX-License-Identifier: MIT
#include "common.hpp"

void step(deed::session& session, deed::handle<double>& h) {
  session.insert_task(bump, deed::read_write(h));
}
void finish(deed::session& session) { session.wait(); }

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  {
    auto view = session.borrow(deed::write(mine));
    step(session, mine);
  }
  finish(session);
}
