// SPDX-License-Identifier: MIT
#pragma once

#include <deed/runtime/group.hpp>
#include <deed/runtime/session.hpp>

#include "model.hpp"
#include "plan.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

/// @file
/// Does a plan on one rank, through the library.

namespace oracle {

/// What happened on one rank.
class rank_log {
 public:
  struct entry {
    int task;
    std::uint64_t inputs;
  };
  /// Threads: any.
  void ran(int task, std::uint64_t inputs) {
    const std::lock_guard lock(mutex_);
    runs_.push_back({task, inputs});
  }
  [[nodiscard]] bool has_run(int task) {
    const std::lock_guard lock(mutex_);
    return std::ranges::find(runs_, task, &entry::task) != runs_.end();
  }
  void saw(std::size_t step, std::uint64_t value) { looks_.push_back({step, value}); }
  void ended_with(int datum, std::uint64_t value) { last_.push_back({datum, value}); }

  struct look {
    std::size_t step;
    std::uint64_t value;
  };
  struct last_value {
    int datum;
    std::uint64_t value;
  };
  [[nodiscard]] const std::vector<entry>& runs() const noexcept { return runs_; }
  [[nodiscard]] const std::vector<look>& looks() const noexcept { return looks_; }
  [[nodiscard]] const std::vector<last_value>& last() const noexcept { return last_; }

  bool finished = false;
  deed::statistics counts;
  std::string thrown;

 private:
  std::mutex mutex_;
  std::vector<entry> runs_;
  std::vector<look> looks_;
  std::vector<last_value> last_;
};

/// Makes group number `group` of a plan in another way than by its ranks, or not.
using group_maker = std::function<std::optional<deed::group>(deed::session&, int group)>;

/// Runs the plan as one rank of `session`, to the end of the session.
/// Keeps: `program` and `log` outlive the session.
void execute(deed::session& session, const plan& program, const expectation& expected,
             rank_log& log, const group_maker& make_group = {});

/// Compares what one rank did with what it had to do. Empty: the same.
[[nodiscard]] std::string difference(int rank, const plan& program, const expectation& expected,
                                     const rank_log& log);

}  // namespace oracle
