// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// What `wait()` throws when a task threw.

namespace deed {

/// A task that threw, on whichever rank.
struct failed_task {
  std::string codelet;
  std::uint64_t number = 0;  ///< Of the insertion, in the sequence of the rank that ran it.
  int rank = 0;              ///< Where it ran.
  std::string thrown;        ///< What it threw, in words.
};

/// D807: an exception left a task. Names the codelet, the insertion, the data and what was thrown.
/// Under `on_exception::propagate` also all others that failed since the last `wait()`; the first
/// is the one with the lowest number.
class task_error : public error {
 public:
  static constexpr std::string_view usual_help = "catch it inside the codelet";

  task_error(failed_task first, std::vector<fact> facts, std::vector<failed_task> others = {},
             std::uint64_t cancelled = 0, std::string_view help = usual_help)
      : error(error_code::task_threw, "task `" + first.codelet + "` threw: " + first.thrown,
              std::move(facts), help),
        first_(std::move(first)),
        others_(std::move(others)),
        cancelled_(cancelled) {}

  [[nodiscard]] const std::string& codelet() const noexcept { return first_.codelet; }
  /// Of the insertion, in the sequence of the rank that ran it.
  [[nodiscard]] std::uint64_t number() const noexcept { return first_.number; }
  /// Where it ran.
  [[nodiscard]] int rank() const noexcept { return first_.rank; }
  [[nodiscard]] const std::vector<failed_task>& others() const noexcept { return others_; }
  /// Tasks that were not run, because they read what failed tasks should have written.
  [[nodiscard]] std::uint64_t cancelled() const noexcept { return cancelled_; }

 private:
  failed_task first_;
  std::vector<failed_task> others_;
  std::uint64_t cancelled_;
};

}  // namespace deed
