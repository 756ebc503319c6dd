// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"
#include "analysis/read/run.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// @file
/// How far the clocks of ranks are apart, and by what that is known.

namespace deed::viewer {

/// What is taken from the times of ranks.
enum class clock_correction : std::uint8_t { nothing, sync, messages, sync_and_messages };
/// "none", "sync", "messages", "sync+messages".
[[nodiscard]] std::optional<clock_correction> correction_named(std::string_view name);

/// What is known of the difference between two ranks' clocks.
struct clock_edge {
  int low = 0, high = 0;
  double ahead = 0, rate = 0, error = 0;  ///< Of the high one, at the middle of the run.
};

/// What a run says of its clocks.
struct clock_fit {
  std::vector<clock_shift> shifts;   ///< By rank; rank 0 is the measure.
  std::vector<std::int64_t> errors;  ///< Of each shift, at most; `never`: it is not known.
  std::vector<int> known_by;         ///< By whose clock; its own, where by none.
  std::vector<std::uint64_t> early;  ///< Messages that a rank received before they were sent.
  std::uint64_t messages = 0;        ///< Of which both ends are known.
  [[nodiscard]] std::uint64_t all_early() const;
};

/// Pairs with the least error carry the difference from rank 0 to the others.
void spread_from_first(std::span<const clock_edge> edges, const run& of, clock_fit& into);

/// Virtual clocks are never shifted. @return for `none`, that no clock is ahead.
[[nodiscard]] clock_fit fit_clocks(const model& of, clock_correction by);

/// Whether all ranks count by one counter of one machine: of one that was not collected, nobody
/// knows.
[[nodiscard]] bool read_one_clock(const run& of);

}  // namespace deed::viewer
