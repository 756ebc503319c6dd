// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void work(const double& x) {
  const_cast<double&>(x) = 2;  // D201
}
