// SPDX-License-Identifier: MIT
#include "virtual_ranks.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

namespace deed::runtime {
namespace {

/// A virtual rank's stack and the page that guards it are two of the mappings that the system gives
/// a process; a few are for all else.
int most_virtual_ranks() {
  constexpr int for_all_else = 2000;
  int mappings = 0;
  if (!(std::ifstream("/proc/sys/vm/max_map_count") >> mappings))
    return std::numeric_limits<int>::max();
  return std::max(1, (mappings - for_all_else) / 2);
}

}  // namespace

std::string too_many_virtual_ranks(int ranks) {
  const int most = most_virtual_ranks();
  if (ranks <= most) return {};
  return std::to_string(ranks) + " virtual ranks are more than vm.max_map_count of this machine " +
         "allows; at most " + std::to_string(most);
}

}  // namespace deed::runtime
