// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  const deed::owner last{session.size() - 1};
  auto a = session.register_data(last, 1.0, {.name = "a"});
  if (last.value == session.rank()) session.insert_task(bump, deed::read_write(a));
}
