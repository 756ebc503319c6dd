// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<deed::handle<double>> all;
  {
    auto c = session.register_data(deed::owner{0}, 0.0, {.name = "c"});
    session.insert_task(bump, deed::read_write(c));
    all.push_back(std::move(c));
  }
  session.insert_task(show, deed::read(all[0]));
}
