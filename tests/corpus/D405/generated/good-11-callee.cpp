// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  const bool missing = !std::ifstream{"in.dat"};
  if (session.any(missing)) return;
  session.barrier();
}

void program(deed::session& session) {
  act(session);
}
