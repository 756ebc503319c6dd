// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 0.0, {.name = "x"});
  auto got = session.register_data(deed::per_rank, 0.0, {.name = "got"});
  double left = 1;
  for (int i = 0; i < 10; ++i) {
    session.insert_task(bump, deed::read_write(x));
    if (session.rank() == 0) {
      session.send(deed::read(got), deed::to{1}, deed::message_tag{1});
    } else if (session.rank() == 1) {
      session.receive(deed::write(got), deed::from{0}, deed::message_tag{1});
      left = *session.borrow(deed::read(got));
    }
    if (left < 0.5) break;
  }
  session.wait();
}
