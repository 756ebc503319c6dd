// SPDX-License-Identifier: MIT
#include "common.hpp"

// The owner is kept in a variable first.
void program(deed::session& session) {
  const deed::owner last{session.size() - 1};
  auto a = session.register_data(last, 1.0, {.name = "a"});
  if (session.rank() == 0) session.insert_task(bump, deed::read_write(a));
}
