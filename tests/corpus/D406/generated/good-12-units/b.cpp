// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

constexpr deed::codelet count{"count", [](double& x, int n) { x += n; }};

void act(deed::session& session, deed::handle<double>& a, deed::handle<double>& b, deed::handle<double>& mine) {
  for (int i = 0; i < 10; ++i) {
    session.insert_task(add, deed::read_write(a), deed::read(b));
    session.insert_task(bump, deed::read_write(mine));
  }
}
