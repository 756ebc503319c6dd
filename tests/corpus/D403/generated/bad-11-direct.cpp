// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  if (rank == 0) session.insert_task(add, deed::read_write(b), deed::read(a));  // D403
  session.insert_task(add, deed::read_write(a), deed::read(b));  // D403
  if (rank != 0) session.insert_task(add, deed::read_write(b), deed::read(a));
}
