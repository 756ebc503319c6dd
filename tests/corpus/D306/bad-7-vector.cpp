// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<deed::handle<double>> cells;
  for (int i = 0; i < 4; ++i) cells.push_back(session.register_data(deed::per_rank, 0.0));
  auto first = session.borrow(deed::write(cells[0]));
  *first = 1;
  for (auto& cell : cells) session.insert_task(bump, deed::read_write(cell));
  session.wait();
}
