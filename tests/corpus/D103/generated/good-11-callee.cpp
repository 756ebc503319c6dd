// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  {
    auto c = session.register_data(deed::owner{0}, 0.0);
    session.insert_task(bump, deed::read_write(c));
    session.insert_task(show, deed::read(c));
  }
}

void program(deed::session& session) {
  act(session);
}
