// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    const int rank = session.rank();
    if (rank == 0) session.wait();  // D404
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
