// SPDX-License-Identifier: MIT
#pragma once

#include "rules/rule.hpp"

#include <functional>

/// @file
/// Branches that one rank alone comes to, and decides by what only it can know: `if (rank == 0 &&
/// !file) return;`. The others take a step behind them, whatever that rank decides.

namespace deed::check {

struct lone_choice {
  const event* step = nullptr;   // what the others take
  const event* leave = nullptr;  // where it returns instead; null if it goes on elsewhere
  span condition;
  int rank = 0, other_rank = 0;
};

/// Looks at those that every number of ranks shows.
void for_each_lone_choice(const across_ranks& seen,
                          const std::function<void(const lone_choice&)>& look);

}  // namespace deed::check
