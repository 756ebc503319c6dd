// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void work(double& x, const double& y, std::span<double> room) {
  room[7] += y;  // D216
  x = room[7];
}
