// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/model.hpp"
#include "analysis/say/answer.hpp"

#include <cstdint>
#include <vector>

/// @file
/// Threads without work at a moment, and what they wait for.

namespace deed::viewer {

class blame;

/// A thread that is there to run tasks, and had nothing to do.
struct idle_thread {
  const state_span* state = nullptr;
  std::uint32_t next = none;  ///< The first task that it runs afterwards.
};
/// By lane. Cost: O(lanes log states + tasks).
[[nodiscard]] std::vector<idle_thread> idle_threads(const model& of, std::int64_t when);
/// The transfer that its next task waits for then, `none`: it is ready, or waits for something
/// else.
[[nodiscard]] std::uint32_t awaited_transfer(const model& of, const idle_thread& thread,
                                             std::int64_t when);
/// What each waits for: what its next task does, and the rank that `breakdown` and `waits` charge
/// with that moment.
[[nodiscard]] table say_idle_threads(const model& of, const blame& blamed, std::int64_t when,
                                     const run_part& part);

}  // namespace deed::viewer
