// SPDX-License-Identifier: MIT
#include "common.hpp"

int inserted = 0;

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  ++inserted;
  session.insert_task(bump, deed::read_write(a));
}
