// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<deed::handle<double>> cells;
  for (int i = 0; i < 4; ++i)
    cells.push_back(session.register_data(deed::owner{i % session.size()}, 1.0));
  std::move(cells[2]).unregister();
  cells.erase(cells.begin() + 2);
  for (auto& each : cells) session.insert_task(show, deed::read(each));
}
