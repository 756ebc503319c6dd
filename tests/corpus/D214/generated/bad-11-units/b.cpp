// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void work(tile t) {
  t(t.rows(), 0) = 0;  // D214
}
