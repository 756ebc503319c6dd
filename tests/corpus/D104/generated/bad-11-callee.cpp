// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  std::vector<double> buffer(100);
  auto c = session.register_data(deed::owner{0}, deed::in_place(buffer));
  auto d = session.register_data(deed::owner{0}, deed::in_place(buffer));  // D104
  session.insert_task(clear, deed::write(c));
  session.insert_task(clear, deed::write(d));
}

void program(deed::session& session) {
  act(session);
}
