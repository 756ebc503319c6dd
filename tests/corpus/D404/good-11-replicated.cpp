// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto count = session.register_data(deed::per_rank, 0.0, {.name = "count"});
  while (*session.borrow(deed::read(count)) < 5) {
    session.insert_task(bump, deed::read_write(count));
    session.barrier();
  }
  session.wait();
}
