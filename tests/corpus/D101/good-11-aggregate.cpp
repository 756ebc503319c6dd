// SPDX-License-Identifier: MIT
#include "common.hpp"

struct level {
  deed::handle<double> u;
  int number;
};

void program(deed::session& session) {
  auto u = session.register_data(deed::owner{0}, 0.0);
  session.insert_task(bump, deed::read_write(u));
  level coarse{std::move(u), 3};
  session.insert_task(bump, deed::read_write(coarse.u));
  level fine{session.register_data(deed::owner{0}, 1.0), 4};
  session.insert_task(bump, deed::read_write(fine.u));
  std::vector<level> levels;
  for (int i = 0; i < 3; ++i) {
    auto next = session.register_data(deed::owner{0}, 0.0);
    levels.push_back({std::move(next), i});
  }
  for (auto& one : levels) session.insert_task(bump, deed::read_write(one.u));
}
