// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    auto c = session.register_data(deed::owner{0}, 0.0, {.tag = deed::tag{70}});
    auto d = session.register_data(deed::owner{0}, 0.0, {.tag = deed::tag{71}});
    session.insert_task(add, deed::read_write(c), deed::read(d));
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
