// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

struct stage {
  deed::session& session;

  void act() {
    auto done = std::async(std::launch::async, [&] {
      session.wait();  // D806
    });
    done.get();
  }
};

void program(deed::session& session) {
  stage one{session};
  one.act();
}
