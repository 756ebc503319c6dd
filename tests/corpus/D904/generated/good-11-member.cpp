// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct sample {
  double x;
  double y;
};
constexpr deed::codelet take{"take", [](sample& s) { s.x += 1; }};

struct stage {
  deed::session& session;

  void act() {
    auto c = session.register_data(deed::owner{0}, sample{});
    session.insert_task(take, deed::read_write(c));
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
