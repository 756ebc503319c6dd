// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void work(double& x, std::span<double> room) {
  for (std::size_t i = 0; i < room.size(); ++i) x += room[i];  // D216
}
