// SPDX-License-Identifier: MIT
#include "common.hpp"

struct stage {
  deed::gate ready;
  int number;
};

stage make(deed::session& session, int number) { return {session.make_gate("ready"), number}; }

void program(deed::session& session) {
  auto x = session.register_data(deed::owner{0}, 1.0, {.name = "x"});
  stage now = make(session, 0);
  session.insert_task(bump, deed::read_write(x), deed::behind(now.ready));
  now.ready.open();
  now = make(session, 1);
  session.insert_task(bump, deed::read_write(x), deed::behind(now.ready));
  now.ready.open();
}
