// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/model.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// Calls in which the programs of all ranks stand until the last one is there: barriers, and
/// collective calls on values.

namespace deed::viewer {

struct meeting {
  std::vector<time_range> stays;  ///< By rank.
  int last = -1;                  ///< The rank that came last.
  std::int64_t since = 0;         ///< When it came.
  bool barrier = false;           ///< Else a collective call.
};

/// Barriers are recorded. Of a collective call on values the states alone tell: a thread waits for
/// what was inserted, and on its rank no task, transfer or wait is open. Such stays of all ranks
/// that have a moment in common are taken to be one call.
///
/// Cost: sorts the waits of each rank once; of calls, its tasks, transfers and states, too.
class meetings {
 public:
  enum class also_calls : std::uint8_t { no, yes };
  explicit meetings(const model& of, also_calls calls = also_calls::yes);
  /// As they took place.
  [[nodiscard]] const std::vector<meeting>& all() const { return all_; }
  /// Of the first `of_first`, the number of the last that a rank had left at a moment, or
  /// `of_first` if there is none.
  [[nodiscard]] std::size_t left(int rank, std::int64_t until, std::size_t of_first) const;
  /// The number of the first that a rank left after a moment; of the last one, how many there are.
  [[nodiscard]] std::size_t first_after(int rank, std::int64_t moment) const;

 private:
  std::vector<meeting> all_;
};

}  // namespace deed::viewer
