// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void work(tile t) {
  for (std::size_t i = 0; i < t.rows(); ++i) t(i, 0) = 0;
}
