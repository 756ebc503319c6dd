// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void work(std::span<double> v) {
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = v[i + 1];  // D214
}
