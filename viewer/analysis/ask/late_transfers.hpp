// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstdint>
#include <vector>

/// @file
/// What threads stood and waited for.

namespace deed::viewer {

/// A thread of the receiver had waited for it, longer than a task of that sort mostly takes.
struct late_transfer {
  std::uint32_t transfer = none;
  /// Of several threads the longest, in nanoseconds; at most an hour.
  [[nodiscard]] std::int64_t waited() const { return std::int64_t{microseconds} * 1'000; }

  std::uint32_t microseconds = 0;  // It may be most of the transfers: 8 bytes for each.
};

/// In the order of the transfers. Of a thread in a wait for data it is what ended the wait.
/// Cost: sorts what came for data for which some thread waited long.
[[nodiscard]] std::vector<late_transfer> late_transfers(const model& of);
/// By codelet: the median of what its tasks take. The last is of tasks without one.
[[nodiscard]] std::vector<std::int64_t> usual_times(const model& of);

/// A thread that slept may take so long to wake up: what is shorter is no delay.
inline constexpr std::int64_t short_wait = 100'000;

}  // namespace deed::viewer
