// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void work(tile t) {
  std::vector<double> v(&t(0, 0), &t(0, 0) + t.cols());
  t(0, 0) = v[0];
}
