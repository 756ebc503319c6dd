// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  auto theirs = session.register_data(deed::per_rank, 0.0, {.name = "theirs"});
  const int next = (session.rank() + 1) % session.size();
  const int before = (session.rank() + session.size() - 1) % session.size();
  auto last = session.register_data(deed::per_rank, 1.0, {.name = "last"});
  auto done = session.make_gate("done");
  session.insert_task(bump, deed::read_write(last), deed::behind(done));
  session.send(deed::read(mine), deed::to{next}, deed::message_tag{8});
  session.receive(deed::write(theirs), deed::from{before}, deed::message_tag{8},
                  deed::when_done([&done] { done.open(); }));
  session.wait();
}
