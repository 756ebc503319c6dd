// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    const int rank = session.rank();
    if (rank == 0) {
      auto x = session.register_data(deed::owner{0}, 1.0, {.tag = deed::tag{7}});
    } else {
      auto x = session.register_data(deed::owner{0}, 2.0, {.tag = deed::tag{7}});
    }
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
