// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  session.fetch(deed::read(a), deed::everywhere);
  while (*session.borrow(deed::read(a)) < 10) {
    session.insert_task(add, deed::read_write(a), deed::read(b));
    session.fetch(deed::read(a), deed::everywhere);
  }
}
