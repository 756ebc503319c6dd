// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto start = session.make_gate("start");
  auto x = session.register_data(deed::owner{0}, 0.0, {.name = "x"});
  session.insert_task(bump, deed::read_write(x), deed::behind(start));
  const auto go = [&](auto value) {
    if (value > 0) start.open();
  };
  if (session.owns(x)) go(1);
  session.wait();
}
