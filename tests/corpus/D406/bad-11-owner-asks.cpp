// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
  for (int i = 0; i < 100; ++i) {
    session.insert_task(bump, deed::read_write(x));
    if (session.owns(x) && *session.borrow(deed::read(x)) > 50) break;
  }
  session.wait();
}
