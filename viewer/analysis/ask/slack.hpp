// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/model.hpp"
#include "analysis/say/answer.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// How much later a task could have ended without making the run longer.

namespace deed::viewer {

/// By task; `never` of those that did not end. What follows a task: those that read what it wrote,
/// which cannot begin before its transfer has arrived, those that read the sum to which it
/// contributed, those that write over what it read, and the next one of its thread. So do those
/// that the program inserted when it had waited for it, by itself or for a program that had: what
/// the program did meanwhile takes the time that it took. A task of the critical path has none. Of
/// a gather or a reduction, only who came last is held to it. Cost: O(n log n), n the tasks,
/// accesses and waits.
///
/// Source: the backward pass of the critical path method, J. E. Kelley, "Critical-Path Planning and
/// Scheduling: Mathematical Basis", Operations Research 9 (1961).
[[nodiscard]] std::vector<std::int64_t> slack(const model& of);
/// Of all tasks, by codelet, and of those with least slack, one by one: at most `most`. Of `part`:
/// its tasks. `of_tasks`: what `slack` said.
[[nodiscard]] std::vector<table> say_slack(const model& of,
                                           const std::vector<std::int64_t>& of_tasks,
                                           const run_part& part = {},
                                           std::size_t most = ~std::size_t{0});

}  // namespace deed::viewer
