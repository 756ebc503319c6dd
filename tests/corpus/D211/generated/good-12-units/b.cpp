// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline tile kept;
void work(tile t) {
  t(0, 0) += 1;
}
