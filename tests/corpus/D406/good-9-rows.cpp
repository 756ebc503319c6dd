// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<std::vector<deed::handle<double>>> rows;
  for (int i = 0; i < 4; ++i) {
    rows.emplace_back();
    for (int j = 0; j <= i; ++j)
      rows.back().push_back(session.register_data(deed::owner{(i + 1) % session.size()}, 0.0));
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    session.insert_task(bump, deed::read_write(rows[i][i / 2]));
  session.wait();
}
