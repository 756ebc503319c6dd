// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;
  deed::handle<double> b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});

  void act() {
    if (session.owns(b)) {
      auto view = session.borrow(deed::read(b));
      std::cout << *view;
    }
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
