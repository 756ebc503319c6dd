// SPDX-License-Identifier: MIT
#include "common.hpp"

void queue(deed::session& session, deed::handle<double>& h, deed::gate& gate) {
  session.insert_task(bump, deed::read_write(h), deed::behind(gate));
}

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto start = session.make_gate("start");
  queue(session, a, start);
  session.wait();
}
