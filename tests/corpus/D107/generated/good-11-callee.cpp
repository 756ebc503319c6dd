// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  std::vector<deed::handle<double>> parts;
  parts.push_back(session.register_data(deed::per_rank, 0.0));
  auto grid = session.register_data(deed::owner{0}, 0.0, {.name = "grid"});
  session.insert_task(bump, deed::read_write(grid));
}

void program(deed::session& session) {
  act(session);
}
