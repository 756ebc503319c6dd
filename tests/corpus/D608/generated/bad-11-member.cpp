// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    const int rank = session.rank();
    std::vector<deed::handle<double>> parts;
    session.gather(deed::read(parts), deed::to{rank});  // D608
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
