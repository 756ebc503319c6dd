// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  auto c = session.register_data(deed::owner{rank}, 0.0);  // D111
  session.insert_task(bump, deed::read_write(c));
}
