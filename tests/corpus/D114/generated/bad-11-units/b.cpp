// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  std::vector<double> first(100);
  auto c = session.register_data(deed::owner{0}, deed::in_place(first));
  std::move(c).unregister();
  {
    std::vector<double> rows(100);
    c = session.register_data(deed::owner{0}, deed::in_place(rows));  // D114
    session.insert_task(clear, deed::write(c));
  }
  session.wait();
}
