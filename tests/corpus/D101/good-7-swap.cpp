// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  std::swap(a, b);
  session.insert_task(show, deed::read(a));
  session.insert_task(show, deed::read(b));
}
