// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 0.0, {.name = "x"});
  auto y = session.register_data(deed::owner{0}, 0.0, {.name = "y"});
  for (int round = 0; round < 3; ++round) {
    auto start = session.make_gate("start");
    session.insert_task(bump, deed::read_write(y), deed::behind(start));
    session.insert_task(bump, deed::read_write(x), deed::opens(start));
    session.wait();
  }
}
