// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void work(double& x) {
  if (x > 0) std::exit(1);  // D808
  x += 1;
}
