// SPDX-License-Identifier: MIT
#include "common.hpp"

void give(deed::session& session, deed::handle<double>& h, int to) {
  session.send(deed::read(h), deed::to{to}, deed::message_tag{3});
}
void take(deed::session& session, deed::handle<double>& h, int from) {
  session.receive(deed::write(h), deed::from{from}, deed::message_tag{3});
}

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  if (session.rank() == 0) give(session, mine, 1);
  if (session.rank() == 1) take(session, mine, 0);
}
