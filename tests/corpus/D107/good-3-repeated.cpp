// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<deed::handle<double>> x, y;
  for (int i = 0; i < 8; ++i) {
    const deed::owner who{i * session.size() / 8};
    x.push_back(session.register_data(who, 1.0, {.name = "x"}));
    y.push_back(session.register_data(who, 2.0, {.name = "y"}));
  }
  for (auto& each : x) session.insert_task(bump, deed::read_write(each));
}
