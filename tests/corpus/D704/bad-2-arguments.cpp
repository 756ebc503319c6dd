// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session, deed::arguments given) {
  if (given.size() != 1)
    throw deed::stop_run(deed::exit_code::bad_option, "the number of steps is wanted");
  const int steps = std::stoi(given[0]);
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  for (int step = 0; step < steps; ++step) session.insert_task(bump, deed::read_write(a));
  auto first = session.make_gate("first");
  auto second = session.make_gate("second");
  session.insert_task(bump, deed::read_write(a), deed::behind(first), deed::opens(second));
  session.insert_task(bump, deed::read_write(b), deed::behind(second), deed::opens(first));
  session.wait();
}
