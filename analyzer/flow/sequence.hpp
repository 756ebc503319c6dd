// SPDX-License-Identifier: MIT
#pragma once

#include "flow/ranks.hpp"

#include <optional>
#include <set>
#include <vector>

/// @file
/// The calls of all ranks, side by side: where they first disagree.

namespace deed::check {

/// A call that one rank makes and another makes differently, or not at all.
struct disagreement {
  enum class kind {
    missing_step,  // `here` is not reached by `other_rank`
    left_early,    // and that rank left at `left`
    other_step,    // both are there, and are different steps
    root,          // the same step, another root
    length,        // the same step, a longer list of data
    registration,  // one registration more
    tag,           // of a registration
    owner,         // of a registration
    type,          // of a registration
    extent,        // of a registration
    missing_task,  // `other_rank` must take part in `here` and does not
    stale_reader,  // `other_rank` reads `about` later, at `there`, and does not know of `here`
    order,         // `here` and `there` come in another order
    placement,     // the same task, another runner
  };
  kind what = kind::missing_step;
  int ranks = 0;  // the number of ranks that shows it
  int rank = 0, other_rank = 0;
  const occurrence* here = nullptr;
  const occurrence* there = nullptr;
  const event* left = nullptr;
  const datum_use* about = nullptr;
  bool conflict = true;  // of an order: the two share data
};

/// As if the calls that are left out did not stand in the program.
[[nodiscard]] std::vector<disagreement> compare_steps(const std::vector<rank_run>& ranks,
                                                      const std::set<const event*>& left_out = {});
[[nodiscard]] std::vector<disagreement> compare_tasks(const std::vector<rank_run>& ranks);

}  // namespace deed::check
