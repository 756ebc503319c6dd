// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void work(double& x) {
  static double last = 0;  // D809
  x += last;
  last = x;
}
