// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/call_stack.hpp>
#include <deed/base/error.hpp>
#include <deed/runtime/task_error.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Tasks that threw and values that could not travel: what is kept of them, and what ranks tell
/// each other of them.

namespace deed::runtime {

/// Why a value is not there. Shared by all data that have none for this reason; travels in their
/// place.
struct failure {
  static constexpr std::uint64_t no_task = ~std::uint64_t{0};

  std::uint16_t code = 0;
  int rank = 0;                    ///< Where it happened.
  std::uint64_t number = no_task;  ///< Of the task's insertion there.
  std::string codelet;             ///< Empty: no task, a value that could not travel.
  std::string thrown;              ///< What was thrown, in words.
  std::string happened;
  std::string inserted;  ///< "x.cpp:7".
  std::vector<error::fact> facts;
  std::string help;
  call_stack made_at;  ///< Of a `deed::error` that was thrown on this rank; travels not.

  [[nodiscard]] bool same_as(const failure& other) const noexcept {
    return rank == other.rank && number == other.number && inserted == other.inserted &&
           happened == other.happened;
  }
};
using shared_failure = std::shared_ptr<const failure>;

/// All that failed between two calls of `wait()`.
struct account {
  std::vector<failure> failures;  ///< By number, each once.
  std::uint64_t cancelled = 0;    ///< Tasks that were not run for want of what they read.

  void add(const failure& one);
  void add(const account& other);
};

/// What was thrown at the caller of `wait()`, or is a reason to end the run.
/// @pre `all.failures` is not empty.
[[nodiscard]] std::exception_ptr exception_of(const account& all, bool printed_here);

/// Empty if it is no `deed::error`: what else is thrown does not know it, and when it is caught the
/// stack is gone.
[[nodiscard]] call_stack made_at(const std::exception_ptr& reason);

/// What failed on this rank, or reached it, since the last `wait()`. Threads: any.
class failure_log {
 public:
  void add(const failure& one) {
    const std::lock_guard lock(mutex_);
    now_.add(one);
  }
  void add_cancelled(const failure& why) {
    const std::lock_guard lock(mutex_);
    now_.add(why);
    ++now_.cancelled;
  }
  [[nodiscard]] bool empty() {
    const std::lock_guard lock(mutex_);
    return now_.failures.empty();
  }
  [[nodiscard]] account take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(now_, {});
  }

 private:
  std::mutex mutex_;
  account now_;
};

/// How ranks bring together what failed: rank 0 collects, and tells all. Threads: any.
class settlement {
 public:
  /// Rank 0: adds one rank's account; gives the sum when it has `ranks` of them.
  [[nodiscard]] std::optional<account> collect(const account& one, std::size_t ranks);
  void conclude(account all) {
    const std::lock_guard lock(mutex_);
    result_ = std::move(all);
  }
  [[nodiscard]] bool concluded() {
    const std::lock_guard lock(mutex_);
    return result_.has_value();
  }
  [[nodiscard]] account take() {
    const std::lock_guard lock(mutex_);
    return *std::exchange(result_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  account sum_;
  std::size_t told_ = 0;
  std::optional<account> result_;
};

}  // namespace deed::runtime
