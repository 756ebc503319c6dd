// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<deed::handle<double>> x;
  for (int i = 0; i < 4; ++i)
    x.push_back(session.register_data(deed::owner{0}, 1.0 * i, {.name = "x"}));
  for (std::size_t to = 0; to < x.size(); ++to)
    for (std::size_t from = 0; from < x.size(); ++from)
      if (to != from) session.insert_task(add, deed::read_write(x[to]), deed::read(x[from]));
}
