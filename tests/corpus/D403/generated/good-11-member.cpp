// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;
  deed::handle<double> a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  deed::handle<double> b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});

  void act() {
    session.insert_task(add, deed::read_write(b), deed::read(a));
    session.insert_task(add, deed::read_write(a), deed::read(b));
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
