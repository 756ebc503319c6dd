// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<deed::handle<double>> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(session.register_data(deed::owner{i % session.size()}, 1.0, {.name = "all"}));
  for (auto& each : all) session.insert_task(bump, deed::read_write(each));
  session.flush(all[1]);
  session.insert_task(add, deed::read_write(all[0]), deed::read(all[1]));
}
