// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    if (fork() == 0) {
      _exit(0);
    } else {
      session.wait();
    }
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
