// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void work(tile t) {
  for (std::size_t j = 0; j + 1 < t.cols(); ++j) t(0, j) = t(0, j + 1);
}
