// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& mine) {
  auto other = session.register_data(deed::per_rank, 1.0);
  session.insert_task(add, deed::read_write(mine), deed::read(other));
}
