// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    if (!std::ifstream{"in.dat"}) return;  // D405
    session.barrier();
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
