// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"
#include "analysis/read/run.hpp"

#include <cstdint>
#include <vector>

/// @file
/// Clocks of ranks, from the messages between them: none is received before it was sent.

namespace deed::viewer {

/// What the messages of a run say of its clocks.
struct clock_fit {
  std::vector<clock_shift> shifts;   ///< By rank; rank 0 is the measure.
  std::vector<std::int64_t> errors;  ///< Of each shift, at most; `never`: no messages both ways.
  std::vector<std::uint64_t> early;  ///< Messages that a rank received before they were sent.
  std::uint64_t messages = 0;        ///< Of which both ends are known.
  [[nodiscard]] std::uint64_t all_early() const;
};

/// For each pair of ranks the fastest message in each direction bounds the difference of their
/// clocks; its error is half of what the two took together. Pairs with the least error carry the
/// difference from rank 0 to the others. A drift is told where the two halves of the run differ by
/// more than their errors. Virtual clocks are never shifted.
/// Cost: O(transfers + pairs log pairs).
[[nodiscard]] clock_fit fit_clocks(const model& of);

}  // namespace deed::viewer
