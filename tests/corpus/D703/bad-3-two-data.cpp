// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto start = session.make_gate("start");
  auto x = session.register_data(deed::owner{0}, 0.0, {.name = "x"});
  auto y = session.register_data(deed::owner{0}, 0.0, {.name = "y"});
  auto z = session.register_data(deed::owner{0}, 0.0, {.name = "z"});
  session.insert_task(bump, deed::read_write(z), deed::behind(start));
  session.insert_task(bump, deed::read_write(x), deed::opens(start));
  session.insert_task(bump, deed::read_write(y), deed::opens(start));
  session.wait();
}
