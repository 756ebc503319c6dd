// SPDX-License-Identifier: MIT
#pragma once

#include <deed/ownership/ledger_excerpt.hpp>
#include <deed/runtime/statistics.hpp>

#include "census.hpp"
#include "submission_log.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

/// @file
/// What `session::repeat` keeps of one iteration.

namespace deed::runtime {

struct node;

/// The nodes that an iteration made on this rank, and what was counted before it. Only tasks, and
/// the transfers that these need: whatever else the program asks for ends it.
struct kept_iteration {
  std::vector<node*> nodes{};  // In the order of submission; none is in the graph.
  struct dealt {
    std::uint32_t peer;
    ownership::slot datum;  // The first of the dealing.
    dealing one;
  };
  std::vector<dealt> dealings{};
  std::map<int, std::uint64_t> bytes_saved{};  // By owner, as counted at insertion.
  std::uint64_t calls = 0;  // A hash of the tasks that the program asked for, wherever they run.
  // Before it:
  ownership::ledger::excerpt books;  // Of the data that its tasks name.
  const census runners;
  const std::map<int, cache_use> uses_of_copies;
  const std::uint64_t inserted;
};

}  // namespace deed::runtime
