// SPDX-License-Identifier: MIT
#include "common.hpp"

constexpr deed::codelet it{"it", [](double& x) { std::cout << x; }};

void program(deed::session& session) {
  std::vector<deed::handle<double>> cells;
  for (int i = 0; i < 3; ++i) cells.push_back(session.register_data(deed::owner{0}, 1.0));
  for (auto& cell : cells) session.insert_task(it, deed::read_write(cell));
}
