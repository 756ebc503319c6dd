// SPDX-License-Identifier: MIT
#include "common.hpp"

// What one rank has read and says to all by messages, all have.
void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
  auto left = session.register_data(deed::per_rank, 1.0, {.name = "left"});
  while (*session.borrow(deed::read(left)) > 1e-2) {
    session.insert_task(bump, deed::read_write(x));
    if (session.rank() == 0) {
      {
        auto all = session.borrow(deed::write(left));
        *all = *all / 2;
      }
      for (int r = 1; r < session.size(); ++r)
        session.send(deed::read(left), deed::to{r}, deed::message_tag{1});
    } else {
      session.receive(deed::write(left), deed::from{0}, deed::message_tag{1});
    }
  }
  double rest = 1;
  while (rest > 1e-1) {
    session.insert_task(bump, deed::read_write(x));
    if (session.owns(x)) {
      rest = 1 / *session.borrow(deed::read(x));
      {
        auto all = session.borrow(deed::write(left));
        *all = rest;
      }
      for (int r = 1; r < session.size(); ++r)
        session.send(deed::read(left), deed::to{r}, deed::message_tag{2});
    } else {
      session.receive(deed::write(left), deed::from{0}, deed::message_tag{2});
      rest = *session.borrow(deed::read(left));
    }
  }
  session.wait();
}
