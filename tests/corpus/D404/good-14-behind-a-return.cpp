// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::ifstream in{"steps.txt"};
  int wanted = 12;
  // deed-check: allow(D405) reason: all ranks have the same file
  if (!(in >> wanted)) return;
  for (int step = 1; step <= 12; ++step) {
    if (step % 4 == 0) session.wait();
  }
}
