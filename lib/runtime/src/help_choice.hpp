// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

/// @file
/// Whether the program's thread runs tasks while it waits.

namespace deed::runtime {

/// A thread more is not always quicker: of tasks that take less time than the cache lines that two
/// cores exchange for one, the workers alone run more. Which way is the quicker one is measured,
/// and the other is tried again, ever more seldom. Longer tasks always have help.
///
/// Threads: one. Cost: a look at the clock and at the workers' counters per span.
class help_choice {
 public:
  using nanoseconds = std::chrono::nanoseconds;

  [[nodiscard]] bool helps() const noexcept { return helps_; }
  /// A span begins; so many nodes were completed before.
  void begin(std::uint64_t completed, nanoseconds now) noexcept {
    completed_ = completed;
    since_ = now;
  }
  /// The span ends, in which it helped or not, as `helps()` said; the next begins.
  void end(std::uint64_t completed, nanoseconds now) noexcept {
    const auto nodes = static_cast<double>(std::max<std::uint64_t>(completed - completed_, 1));
    note(static_cast<double>((now - since_).count()) / nodes);
    begin(completed, now);
  }
  /// It helps: what was measured is of other tasks.
  void forget() noexcept {
    helps_ = true;
    with_ = without_ = unknown;
    until_trial_ = interval_ = first_interval;
  }

 private:
  static constexpr double long_enough = 500;  // Nanoseconds for a node.
  static constexpr double unknown = -1;
  static constexpr unsigned first_interval = 8, longest_interval = 64;  // Spans.

  void note(double cost) noexcept {
    if (cost > long_enough) return forget();
    double& mine = helps_ ? with_ : without_;
    mine = mine == unknown ? cost : (mine + cost) / 2;
    if (with_ == unknown || without_ == unknown) {
      helps_ = !helps_;
      return;
    }
    helps_ = with_ <= without_;
    if (--until_trial_ != 0) return;
    helps_ = !helps_;
    until_trial_ = interval_ = std::min(2 * interval_, longest_interval);
  }

  bool helps_ = true;
  double with_ = unknown, without_ = unknown;  // Nanoseconds for a node, lately.
  unsigned until_trial_ = first_interval, interval_ = first_interval;
  std::uint64_t completed_ = 0;
  nanoseconds since_{};
};

}  // namespace deed::runtime
