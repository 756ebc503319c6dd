// SPDX-License-Identifier: MIT
#include "common.hpp"

void begin(deed::gate& gate);

void program(deed::session& session) {
  auto start = session.make_gate("start"), stop = session.make_gate("stop");
  auto x = session.register_data(deed::owner{0}, 0.0, {.name = "x"});
  auto y = session.register_data(deed::owner{0}, 0.0, {.name = "y"});
  session.insert_task(bump, deed::read_write(x), deed::behind(start), deed::opens(stop));
  session.insert_task(bump, deed::read_write(y), deed::behind(stop));
  begin(start);
  session.wait();
}
