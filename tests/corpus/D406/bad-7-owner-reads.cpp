// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
  double error = 1;
  while (error > 1e-2) {
    session.insert_task(bump, deed::read_write(x));
    if (session.owns(x)) error = 1 / *session.borrow(deed::read(x));
  }
  session.wait();
}
