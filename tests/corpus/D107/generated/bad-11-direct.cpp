// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  std::vector<deed::handle<double>> parts;
  if (rank == 0) parts.push_back(session.register_data(deed::per_rank, 0.0));  // D107
  auto grid = session.register_data(deed::owner{0}, 0.0, {.name = "grid"});
  session.insert_task(bump, deed::read_write(grid));
}
