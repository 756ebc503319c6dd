// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/model.hpp"
#include "analysis/say/answer.hpp"

#include <cstdint>
#include <vector>

/// @file
/// How much later a task could have ended without making the run longer.

namespace deed::viewer {

/// By task; `never` of those that did not end. What follows a task: those that read what it wrote,
/// which cannot begin before its transfer has arrived, those that write over what it read, and the
/// next one of its thread. Each takes the time that it took. Cost: O(tasks log tasks + accesses).
///
/// Source: the backward pass of the critical path method, J. E. Kelley, "Critical-Path Planning and
/// Scheduling: Mathematical Basis", Operations Research 9 (1961).
[[nodiscard]] std::vector<std::int64_t> slack(const model& of);
/// Per codelet, and task by task, the least first. Of `part`: its tasks.
[[nodiscard]] std::vector<table> say_slack(const model& of, const run_part& part = {});

}  // namespace deed::viewer
