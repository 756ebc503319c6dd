// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  std::vector<double> rows(100);
  auto c = session.register_data(deed::owner{0}, deed::in_place(rows));
  session.insert_task(clear, deed::write(c));
  session.wait();
  std::cout << rows[0];
}
