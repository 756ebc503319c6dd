// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, 0.0, {.tag = deed::tag{70}});
  auto d = session.register_data(deed::owner{0}, 0.0, {.tag = deed::tag{70}});  // D106
  session.insert_task(add, deed::read_write(c), deed::read(d));
}
