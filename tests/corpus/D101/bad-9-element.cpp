// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <utility>
#include <vector>

void program(deed::session& session) {
  std::vector<deed::handle<double>> now, next;
  for (int i = 0; i < 4; ++i) {
    now.push_back(session.register_data(deed::owner{0}, 0.0, {.name = "now"}));
    next.push_back(session.register_data(deed::owner{0}, 0.0, {.name = "next"}));
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    next[i] = std::move(now[i]);
    session.insert_task(bump, deed::read_write(now[i]));
  }
}
