// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session, deed::handle<double>& a) {
  for (int i = 0; i < 4; ++i) {
    auto c = session.register_data(deed::owner{0}, 0.0);
    session.insert_task(add, deed::read_write(c), deed::read(a));
    session.insert_task(add, deed::read_write(a), deed::read(c));
  }
}

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  act(session, a);
}
