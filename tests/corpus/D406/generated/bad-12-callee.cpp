// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

constexpr deed::codelet count{"count", [](double& x, int n) { x += n; }};

void act(deed::session& session, deed::handle<double>& a, deed::handle<double>& b, deed::handle<double>& mine) {
  const int rank = session.rank();
  session.insert_task(count, deed::read_write(mine), deed::value(rank));
  while (*session.borrow(deed::read(mine)) < 5) {
    session.insert_task(add, deed::read_write(a), deed::read(b));  // D406
    session.insert_task(bump, deed::read_write(mine));
  }
}

void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0, {.name = "a"});
  auto b = session.register_data(deed::owner{1}, 2.0, {.name = "b"});
  auto mine = session.register_data(deed::per_rank, 0.0, {.name = "mine"});
  act(session, a, b, mine);
}
