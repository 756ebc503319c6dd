// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <functional>

void program(deed::session& session) {
  auto start = session.make_gate("start");
  auto x = session.register_data(deed::owner{0}, 0.0, {.name = "x"});
  session.insert_task(bump, deed::read_write(x), deed::behind(start));
  const std::function<void()> go = [&] { start.open(); };
  if (session.owns(x)) go();
  session.wait();
}
