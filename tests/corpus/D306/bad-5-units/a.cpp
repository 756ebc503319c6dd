// SPDX-License-Identifier: MIT
#include "common.hpp"

void finish(deed::session& session);  // in b.cpp

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto view = session.borrow(deed::write(mine));
  session.insert_task(bump, deed::read_write(mine));
  finish(session);
}
