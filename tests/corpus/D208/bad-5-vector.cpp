// SPDX-License-Identifier: MIT
#include "common.hpp"

// Of a list of data without a value, each is.
void program(deed::session& session) {
  std::vector<deed::handle<double>> cells;
  for (int i = 0; i < 4; ++i)
    cells.push_back(session.register_data<double>(deed::owner{0}, deed::uninitialised));
  for (auto& cell : cells) session.insert_task(show, deed::read(cell));
  session.wait();
}
