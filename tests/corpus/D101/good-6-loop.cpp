// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  for (int i = 0; i < 3; ++i) {
    auto c = session.register_data(deed::owner{0}, 0.0);
    session.insert_task(add, deed::read_write(c), deed::read(a));
    auto d = std::move(c);
    session.insert_task(bump, deed::read_write(d));
    session.insert_task(add, deed::read_write(a), deed::read(d));
  }
}
