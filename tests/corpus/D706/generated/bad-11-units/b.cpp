// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void work(double& x) {
  std::this_thread::sleep_for(std::chrono::seconds{1});  // D706
  x += 1;
}
