// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  auto start = session.make_gate("start");
  session.insert_task(bump, deed::read_write(a), deed::behind(start));
  session.insert_task(bump, deed::read_write(b), deed::opens(start), deed::on(deed::rank{0}));
  session.wait();
}
