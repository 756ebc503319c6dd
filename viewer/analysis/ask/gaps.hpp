// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/model.hpp"
#include "analysis/say/answer.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// The longest times in which threads ran no task.

namespace deed::viewer {

/// A thread between two tasks; before its first one and behind its last one as well.
struct gap {
  std::uint32_t lane = none;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t next = none;  ///< The task that ended it.
};

/// At most so many, of workers and of programs that run tasks; the longest first. Of `part`, its
/// range and its ranks.
/// Cost: O(tasks log tasks).
[[nodiscard]] std::vector<gap> longest_gaps(const model& of, std::size_t most,
                                            const run_part& part = {});
/// With what each thread did meanwhile, and what the task that ended the gap had waited for.
[[nodiscard]] table say_gaps(const model& of, std::size_t most, const run_part& part = {});

}  // namespace deed::viewer
