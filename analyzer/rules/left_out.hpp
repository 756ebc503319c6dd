// SPDX-License-Identifier: MIT
#pragma once

#include "rules/rule.hpp"

#include <set>

namespace deed::check {

/// What was too large to look at in full, in functions.
struct left_out {
  int facts = 0;        // the facts did not settle: nothing is said of states and loans
  int calls = 0;        // not all callees were opened up
  int ranks = 0;        // some rank could not be followed to its end
  int followed = 0;     // of so many that were run on 1 to 4 ranks
  std::set<span> open;  // the conditions that nobody knows, where ranks were followed no further
};

/// As `run_rules(all)`, and counts what was left out.
[[nodiscard]] std::vector<diagnostic> run_rules(const program& all, left_out& what);

}  // namespace deed::check
