// SPDX-License-Identifier: MIT
#include "common.hpp"

void warm_up(deed::session& session) {
  auto heat = session.register_data(deed::owner{0}, 0.0, {.name = "heat"});
  for (int step = 0; step < 5000; ++step) session.insert_task(bump, deed::read_write(heat));
  session.wait();
}

void on_eight(deed::session& session) {
  auto late = session.register_data(deed::owner{7}, 0.0, {.name = "late"});
  session.insert_task(bump, deed::read_write(late));
}

void answer(deed::session& session) {
  auto got = session.register_data(deed::per_rank, 0.0);
  session.receive(deed::write(got), deed::from{0}, deed::message_tag{session.rank()});
}

// The second phase is for enough ranks, and the third receives what comes from the first one.
void program(deed::session& session) {
  auto sent = session.register_data(deed::per_rank, 0.0);
  if (session.rank() == 0) {
    for (int to = 0; to < session.size(); ++to)
      session.send(deed::read(sent), deed::to{to}, deed::message_tag{to});
  }
  warm_up(session);
  if (session.size() >= 8) on_eight(session);
  answer(session);
  session.wait();
}
