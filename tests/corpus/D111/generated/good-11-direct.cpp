// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  auto c = session.register_data(deed::per_rank, 0.0);
  session.insert_task(bump, deed::read_write(c));
}
