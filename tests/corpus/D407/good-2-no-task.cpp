// SPDX-License-Identifier: MIT
#include "common.hpp"

void program(deed::session& session) {
  std::unordered_map<std::string, double> sums;
  for (auto& [name, sum] : sums) std::cout << name << sum;
}
