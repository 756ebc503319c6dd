// SPDX-License-Identifier: MIT
#pragma once

#include "rules/rule.hpp"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace deed::check {

using line_of_file = std::pair<std::uint32_t, std::uint32_t>;

/// A place in a function, or in what it calls, behind which something is not looked at.
struct omission {
  const function* in = nullptr;
  stop what;
  std::set<line_of_file> behind = {};
};

/// What was not looked at in full, in functions.
struct left_out {
  int facts = 0;     // the facts did not settle: nothing is said of states and loans
  int calls = 0;     // not all callees were opened up
  int ranks = 0;     // some rank could not be followed to its end
  int followed = 0;  // of so many that were run on 1 to 4 ranks
  std::vector<omission> where;
};

/// As `run_rules(all)`, and counts what was left out.
[[nodiscard]] std::vector<diagnostic> run_rules(const program& all, left_out& what);

}  // namespace deed::check
