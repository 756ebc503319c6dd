// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<deed::handle<double>> x;
  for (int i = 0; i < 4; ++i)
    x.push_back(session.register_data(deed::owner{0}, 1.0 * i, {.name = "x"}));
  for (auto& to : x)
    for (auto& from : x) session.insert_task(add, deed::read_write(to), deed::read(from));
}
