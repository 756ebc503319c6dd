// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

constexpr deed::codelet count{"count", [](double& x, int n) { x += n; }};

struct stage {
  deed::session& session;
  deed::handle<double> a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  deed::handle<double> b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  deed::handle<double> mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});

  void act() {
    const int rank = session.rank();
    session.insert_task(count, deed::read_write(mine), deed::value(rank));
    while (*session.borrow(deed::read(mine)) < 5) {
      session.insert_task(add, deed::read_write(a), deed::read(b));  // D406
      session.insert_task(bump, deed::read_write(mine));
    }
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
