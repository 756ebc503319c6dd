// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    const bool missing = !std::ifstream{"in.dat"};
    if (session.any(missing)) return;
    session.barrier();
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
