// SPDX-License-Identifier: MIT
#include "common.hpp"

bool accept(deed::session& session) {
  const bool mine = std::rand() % 2 == 0;
  return session.any(mine);
}

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{1}, 1.0, {.name = "b"});
  if (accept(session)) session.insert_task(add, deed::read_write(a), deed::read(b));
}
