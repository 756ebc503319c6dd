// SPDX-License-Identifier: MIT
#include "common.hpp"

// Each rank has a gate of its own: the task that it runs opens it.
void program(deed::session& session) {
  std::vector<deed::handle<double>> parts;
  for (int i = 0; i < session.size(); ++i)
    parts.push_back(session.register_data(deed::owner{i}, 1.0, {.name = "part"}));
  auto start = session.make_gate("start");
  for (auto& each : parts) session.insert_task(bump, deed::read_write(each), deed::opens(start));
  session.wait();
}
