// SPDX-License-Identifier: MIT
#include "common.hpp"

std::vector<deed::handle<double>> make(deed::session& session, int n) {
  std::vector<deed::handle<double>> made;
  for (int i = 0; i < n; ++i)
    made.push_back(session.register_data(deed::owner{i % session.size()}, 1.0, {.name = "u"}));
  return made;
}

void program(deed::session& session) {
  auto u = make(session, 5);
  for (auto& each : u) session.insert_task(bump, deed::read_write(each));
  if (session.rank() == 0) session.gather(deed::read(u), deed::to{0});
  session.wait();
}
