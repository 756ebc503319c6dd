// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto mine = session.register_data(deed::per_rank, 1.0, {.name = "mine"});
  auto output = session.make_gate("output");
  session.insert_task(show, deed::read(mine), deed::behind(output));
  output.open();
  session.wait();
}
