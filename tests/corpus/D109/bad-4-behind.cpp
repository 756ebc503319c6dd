// SPDX-License-Identifier: MIT
#include "common.hpp"

void warm_up(deed::session& session) {
  auto heat = session.register_data(deed::owner{0}, 0.0, {.name = "heat"});
  for (int step = 0; step < 5000; ++step) session.insert_task(bump, deed::read_write(heat));
  session.wait();
}

void measure(deed::session& session) {
  auto late = session.register_data(deed::owner{session.size()}, 0.0, {.name = "late"});
  session.insert_task(bump, deed::read_write(late));
}

// Ranks are not followed to the end of the first phase; the second one is looked at by itself.
void program(deed::session& session) {
  warm_up(session);
  measure(session);
}
