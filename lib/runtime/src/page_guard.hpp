// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/driver.hpp>

#include "node.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// @file
/// Verify mode, `pages`: what a task reads cannot be written while it runs, and what it got on an
/// emulated device cannot be used afterwards.

namespace deed::runtime {

/// As long as it lives, the whole pages of what a task reads and does not write are closed to
/// writers, by `mprotect`; a write ends the process with a report (D201; D204 if the thread that
/// writes runs another task). Of what lies on parts of pages, and of packed values, a hash is taken
/// before and compared after.
///
/// Threads: any; several tasks may read one datum at once.
/// Cost: two system calls per datum of a page or more; a look at all other bytes, twice.
class page_guard {
 public:
  page_guard(int rank, const task_node& task, std::span<const node_access> accesses);
  page_guard(const page_guard&) = delete;
  ~page_guard();

  /// The task is over. @throws deed::error D201 if it changed what it reads.
  void check() const;

 private:
  struct looked_at {
    const replica* copy;
    std::uint64_t hash;
  };
  const task_node& task_;
  std::vector<std::size_t> closed_;  // Places in the table that the handler reads.
  std::vector<looked_at> looked_at_;
};

/// Views that kernels of emulated devices had: their addresses are closed, and whoever uses one
/// ends the process with a report (D211). The process remembers the last 2,048 of all sessions.
///
/// Threads: any.
class kept_views {
 public:
  explicit kept_views(int rank) noexcept : rank_(rank) {}
  kept_views(const kept_views&) = delete;
  kept_views& operator=(const kept_views&) = delete;
  ~kept_views();

  void add(const gpu::ended_view& ended);

 private:
  const int rank_;
  bool watches_ = false;  // With the lock of the table.
};

}  // namespace deed::runtime
