// SPDX-License-Identifier: MIT
#include "common.hpp"

// The owner alone acts by what it alone has read, or all ranks agree first.
void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
  auto mine = session.register_data(deed::per_rank, 1.0);
  for (int i = 0; i < 100; ++i) {
    session.insert_task(bump, deed::read_write(x));
    if (session.owns(x) && *session.borrow(deed::read(x)) > 50) {
      std::cout << "large";
      session.insert_task(bump, deed::read_write(mine));
    }
    if (session.any(session.owns(x) && *session.borrow(deed::read(x)) > 90)) break;
  }
  for (int i = 0; i < 100; ++i) {
    if (session.owns(x) && *session.borrow(deed::read(x)) < i) break;
    session.insert_task(bump, deed::read_write(mine));
  }
  session.wait();
}
