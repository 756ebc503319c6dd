// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"
#include "analysis/store/number_index.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// Which rank a thread waited for.

namespace deed::viewer {

/// Cost: sorts tasks and transfers once; then O(log n) for a span.
class blame {
 public:
  explicit blame(const model& of);
  /// The rank that a span of a thread without work is blamed on; -1 if none.
  [[nodiscard]] int rank_of(const state_span& s) const;

 private:
  /// A transfer to one rank, in the order of (rank, handle, begin).
  struct incoming {
    std::uint64_t to = 0;  // The rank above, the handle below.
    std::int64_t begin = 0;
    std::int64_t reach = 0;  // The latest end of those of this datum up to here; unended: for ever.
    std::uint32_t transfer = none;
  };

  [[nodiscard]] int by_next(const state_span& s) const;
  [[nodiscard]] int by_missing(const state_span& s, int here) const;
  [[nodiscard]] int by_last(const state_span& s, int here) const;
  [[nodiscard]] int by_handle(const state_span& s, int here) const;
  [[nodiscard]] std::uint32_t arrived(std::uint32_t handle, std::uint32_t version, int dst,
                                      std::int64_t until) const;

  const model& of_;
  std::vector<std::vector<std::uint32_t>> tasks_;    // By lane, as they began.
  std::vector<bool> works_;                          // By lane: it is there to run tasks.
  std::vector<std::vector<std::uint32_t>> came_;     // By rank, as they were there.
  std::vector<std::vector<std::uint32_t>> missing_;  // By rank: never there; the first need first.
  std::vector<incoming> incoming_;
  number_index first_;  // The first transfer of a version to a rank.
};

}  // namespace deed::viewer
