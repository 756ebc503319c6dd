// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;
  deed::handle<double> a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});

  void act() {
    auto c = session.register_data(deed::owner{0}, 0.0);
    session.insert_task(add, deed::read_write(a), deed::read(c));
    c = session.register_data(deed::owner{0}, 1.0);  // D105
    session.insert_task(add, deed::read_write(a), deed::read(c));
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
