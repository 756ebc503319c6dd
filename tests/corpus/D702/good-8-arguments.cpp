// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session, deed::arguments given) {
  if (given.size() != 1)
    throw deed::stop_run(deed::exit_code::bad_option, "the number of steps is wanted");
  const int steps = std::stoi(given[0]);
  auto a = session.register_data(deed::per_rank, 1.0, {.name = "a"});
  auto start = session.make_gate("start");
  for (int step = 0; step < steps; ++step)
    session.insert_task(bump, deed::read_write(a), deed::behind(start));
  start.open();
  session.wait();
}
