// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<std::vector<deed::handle<double>>> rows;
  for (int i = 0; i < 4; ++i) {
    rows.emplace_back();
    for (int j = 0; j <= i; ++j)
      rows.back().push_back(session.register_data(deed::owner{(i + 1) % session.size()}, 0.0));
  }
  if (session.rank() == 0)
    session.insert_task(add, deed::read_write(rows.back().back()), deed::read(rows[1][0]));
  session.wait();
}
