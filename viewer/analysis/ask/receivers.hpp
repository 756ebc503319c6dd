// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

/// @file
/// What a rank did while a transfer to it was late.

namespace deed::viewer {

/// Keeps: a reference to the model.
/// Cost: sorts the tasks of each rank once; then O(log n) for a transfer, and the tasks between the
/// one before and the one that is found.
class receivers {
 public:
  explicit receivers(const model& of);

  /// The task that kept a transfer from being taken after `left`, when it could have come; `none`:
  /// it was on the wire all the time, as far as is known. One that used the version before, for
  /// whose end the receiver waits before it looks; or one that ran on the only thread of its rank,
  /// which found the transfer at once when it looked again.
  /// `number`: of the task that it is for.
  [[nodiscard]] std::uint32_t at_work(const transfer& x, std::int64_t left,
                                      std::uint64_t number) const;

 private:
  [[nodiscard]] std::uint32_t last_task(int rank, std::int64_t until) const;
  [[nodiscard]] std::uint32_t last_user(const transfer& x, std::uint64_t number) const;
  [[nodiscard]] bool uses(std::uint32_t task, std::uint32_t handle) const;

  const model& of_;
  std::vector<std::vector<std::pair<std::int64_t, std::uint32_t>>> tasks_;  // By rank and end.
  std::vector<int> threads_;                                                // By rank.
  std::array<std::int64_t, 65> fastest_{};  // By the bits of a size; `never`: none of them came.
};

}  // namespace deed::viewer
