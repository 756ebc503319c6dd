// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline void last(double& x, const double& y) { x = y; }  // D602

struct stage {
  deed::session& session;
  deed::handle<double> a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});

  void act() {
    auto total = session.register_data(deed::owner{0}, 0.0, deed::reduction{last, 0.0});
    session.insert_task(add, deed::reduce(total), deed::read(a));
    session.insert_task(show, deed::read(total));
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
