// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<deed::handle<double>> all;
  for (int k = 0; k < 2; ++k) {
    all.clear();
    all.push_back(session.register_data(deed::owner{0}, 1.0));
    session.insert_task(bump, deed::read_write(all[0]));
    auto mine = std::move(all[0]);
    session.insert_task(bump, deed::read_write(mine));
  }
}
