// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void act(deed::session& session) {
  if (fork() == 0) {
    _exit(0);
  } else {
    session.wait();
  }
}
