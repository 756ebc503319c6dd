// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/clock/clock_fit.hpp"

#include <cstdint>
#include <string>

/// @file
/// How far times of ranks may be apart, and what is said of that.

namespace deed::viewer {

/// Of the times of a run as they are here: by what clocks are ahead, and by what is not known of
/// that. Nothing, of virtual ranks and of those that read one clock.
class time_errors {
 public:
  /// Cost: as that of fitting.
  explicit time_errors(const model& of);

  /// Of two ranks; `never`: nothing tells.
  [[nodiscard]] std::int64_t between(int one, int other) const;
  /// Of a rank and rank 0, which is the measure.
  [[nodiscard]] std::int64_t of(int rank) const { return between(0, rank); }
  /// The most that a rank has; `never`, if nothing tells of one of them.
  [[nodiscard]] std::int64_t worst() const;
  /// Whether `took`, from a time of one rank to one of the other, is at least twice the error: then
  /// so is what it really took, but for a factor of two.
  [[nodiscard]] bool tell(int from, int to, std::int64_t took) const;

  /// What a time since `origin` of the run would be by the clock of rank 0, as well as it is known.
  [[nodiscard]] std::int64_t corrected(int rank, std::int64_t time) const;
  /// Whether taking that from the clocks makes the error of two ranks half of what it is.
  [[nodiscard]] bool can_be_corrected(int one, int other) const;

 private:
  [[nodiscard]] bool knows(int rank) const;
  [[nodiscard]] std::int64_t not_known_of(int one, int other) const;

  clock_fit fit_;  // Of no ranks, where clocks are one.
  std::int64_t origin_ = 0, half_ = 0;
};

/// "±1.2 us", "±?" if nothing tells; empty of none.
[[nodiscard]] std::string say_time_error(std::int64_t error);
/// "clocks of rank 0 and rank 2 may be 4.655 ms apart".
[[nodiscard]] std::string say_clocks_apart(int one, int other, std::int64_t error);

}  // namespace deed::viewer
