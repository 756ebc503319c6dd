// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct sample {
  char kind;
  double x;
};
constexpr deed::codelet take{"take", [](sample& s) { s.x += 1; }};

void act(deed::session& session) {
  auto c = session.register_data(deed::owner{0}, sample{});  // D904
  session.insert_task(take, deed::read_write(c));
}

void program(deed::session& session) {
  act(session);
}
