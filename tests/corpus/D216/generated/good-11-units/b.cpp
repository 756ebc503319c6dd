// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void work(double& x, tile room) {
  room(0, 0) = 2;
  x = room(0, 0);
}
