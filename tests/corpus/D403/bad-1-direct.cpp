// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const int rank = session.rank();
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  if (rank % 2 == 1) session.insert_task(add, deed::read_write(b), deed::read(a));
  session.insert_task(add, deed::read_write(a), deed::read(b));
  if (rank % 2 == 0) session.insert_task(add, deed::read_write(b), deed::read(a));
}
