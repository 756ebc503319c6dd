// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  session.fetch(deed::read(a), deed::everywhere);
  while (*session.borrow(deed::read(a)) < 10) {
    session.insert_task(bump, deed::read_write(a));
    session.fetch(deed::read(a), deed::everywhere);
    if (*session.borrow(deed::read(a)) > 5) return;
  }
}
