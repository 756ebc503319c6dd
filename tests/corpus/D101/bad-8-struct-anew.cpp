// SPDX-License-Identifier: MIT
#include "common.hpp"

struct box {
  deed::handle<double> held;
  int number;
};

box make(deed::session& session) {
  return {session.register_data(deed::owner{0}, 1.0, {.name = "held"}), 1};
}

void program(deed::session& session) {
  box mine = make(session);
  auto other = std::move(mine.held);
  mine = make(session);
  auto third = std::move(mine.held);
  session.insert_task(bump, deed::read_write(mine.held));
  session.insert_task(bump, deed::read_write(other));
}
