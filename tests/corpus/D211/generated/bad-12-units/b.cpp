// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

inline tile kept;
void work(tile t) {
  kept = t;  // D211
}
