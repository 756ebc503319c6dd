// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.insert_task(bump, deed::read_write(a));
  if (session.rank() == 0)
    session.wait();
  else
    session.wait();
  session.wait();
}
