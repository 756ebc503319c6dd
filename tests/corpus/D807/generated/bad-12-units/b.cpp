// SPDX-License-Identifier: MIT
// Made by tests/corpus/tools/gen; change cases.py.
#include "common.hpp"

void work(double& x) {
  if (x < 0) throw std::domain_error{"negative"};  // D807
  throw std::domain_error{"not negative"};
}
