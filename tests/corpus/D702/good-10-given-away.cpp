// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <functional>

void program(deed::session& session) {
  auto start = session.make_gate("start"), stop = session.make_gate("stop");
  auto x = session.register_data(deed::owner{0}, 0.0, {.name = "x"});
  auto y = session.register_data(deed::owner{0}, 0.0, {.name = "y"});
  session.insert_task(bump, deed::read_write(x), deed::behind(start), deed::opens(stop));
  session.insert_task(bump, deed::read_write(y), deed::behind(stop));
  const std::function<void(deed::gate&)> begin = [](deed::gate& gate) { gate.open(); };
  begin(start);
  session.wait();
}
