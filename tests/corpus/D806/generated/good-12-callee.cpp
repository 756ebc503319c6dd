// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  auto done = std::async(std::launch::async, [] {
    std::cout << "here";
  });
  done.get();
  session.wait();
}

void program(deed::session& session) {
  act(session);
}
