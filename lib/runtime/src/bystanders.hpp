// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

/// @file
/// Verify mode, `global`: tasks that only ranks insert which have nothing to do with them. No
/// transfer is missed then, so no pair of ranks finds out; the tasks just do not run.

namespace deed::runtime {

struct submission;
struct verdict;

/// Tasks of one line for one rank.
struct insertion_use {
  std::uint32_t executor = 0;
  std::string codelet, where;
  std::uint64_t count = 0;
};

/// Those of one rank.
struct rank_insertions {
  int rank = 0;
  std::vector<insertion_use> uses;
};

/// Cost: a search among codelets, lines and ranks per task.
[[nodiscard]] std::vector<insertion_use> counted(const std::deque<submission>& all);

/// What to say of tasks that another rank inserted more often than the one that has to run them.
/// Nothing: there are none. A rank may leave out what does not concern it, so fewer are right.
[[nodiscard]] std::optional<verdict> task_that_nobody_runs(const std::vector<rank_insertions>& all);

}  // namespace deed::runtime
