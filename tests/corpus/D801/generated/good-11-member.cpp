// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;
  deed::handle<double> a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});

  void act() {
    session.insert_task(bump, deed::read_write(a));
    session.close();
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
