// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  const int size = session.size();
  auto c = session.register_data(deed::owner{size - 1}, 0.0);
  session.insert_task(bump, deed::read_write(c));
}
