// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::vector<std::vector<deed::handle<double>>> rows;
  for (int i = 0; i < 4; ++i) {
    rows.emplace_back();
    for (int j = 0; j <= i; ++j)
      rows.back().push_back(session.register_data(deed::owner{(i + 1) % session.size()}, 0.0));
  }
  if (session.rank() < 3)
    session.insert_task(add, deed::read_write(rows[1].back()), deed::read(rows[0].back()));
  if (session.owns(rows.back().back()))
    std::cout << *session.borrow(deed::read(rows.back().back()));
  session.wait();
}
