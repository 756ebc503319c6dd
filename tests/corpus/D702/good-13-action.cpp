// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto start = session.make_gate("start");
  auto x = session.register_data(deed::owner{0}, 0.0, {.name = "x"});
  session.insert_task(bump, deed::read_write(x), deed::behind(start));
  const auto when = [](bool mine, auto action) {
    if (mine) action();
  };
  when(session.owns(x), [&] { start.open(); });
  session.wait();
}
