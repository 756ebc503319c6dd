// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

/// @file
/// When a copy ends that the program dropped: the record says when the program came to it.

namespace deed::viewer {

/// The end of the copy of one version on one rank.
struct copy_end {
  static constexpr std::int64_t after_all = std::numeric_limits<std::int64_t>::max();

  std::uint32_t event = none;  ///< The `cache_drop`.
  std::uint32_t rank = 0;
  std::uint32_t version = 0;
  std::int64_t time = after_all;  ///< `after_all`: a task that uses it has no end.
};

/// The ends of the copies of one datum.
///
/// Keeps: a reference to the model.
/// Cost: O(n log n) to make, n its transfers; then for each, O(events since the drop before it).
class copy_ends {
 public:
  copy_ends(const model& of, std::uint32_t handle);
  /// Of the `cache_drop` at this place among the events of the datum: the copy is there until it
  /// has arrived, and every task of its rank that was submitted before and uses it has ended. None
  /// where the same version has come again by then: the rank goes on having it.
  [[nodiscard]] std::optional<copy_end> of_drop(std::size_t place) const;

 private:
  struct fetched {
    int rank = 0;
    std::int64_t asked = never;
    std::uint32_t version = 0;
    std::int64_t arrived = never;
  };
  [[nodiscard]] std::int64_t last_use(std::size_t place, int rank, std::uint32_t version) const;

  const model& of_;
  const std::uint32_t handle_;
  std::vector<fetched> fetches_;  // By rank, then by when the program asked for it.
};

}  // namespace deed::viewer
