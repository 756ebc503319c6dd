// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  {
    auto c = session.register_data(deed::owner{0}, 0.0, {.name = "c"});
    session.insert_task(bump, deed::read_write(c));
  }
  session.wait();
}
