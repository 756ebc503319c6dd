// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

/// @file
/// Whether the program's thread runs tasks while it waits.

namespace deed::runtime {

/// A thread more is not always quicker: of tasks that take less time than the cache lines that two
/// cores exchange for one, the workers alone run more. What a node takes, by the clock and of all
/// threads together, is measured both ways, and the other way tried again, ever more seldom. It
/// stands aside only where the workers alone are briefer than half a microsecond, and by a tenth.
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
  /// In the middle of a span in which it stood aside: too little was completed.
  void give_up(std::uint64_t completed, nanoseconds now) noexcept {
    without_ = unknown;
    helps_ = same_way_ = true;
    begin(completed, now);
  }

 private:
  static constexpr double brief = 500, hopeless = 5'000;  // Nanoseconds for a node.
  static constexpr double unknown = -1;
  static constexpr unsigned first_interval = 8, longest_interval = 64;  // Spans.

  void note(double cost) noexcept {
    double& mine = helps_ ? with_ : without_;
    mine = same_way_ && mine != unknown ? (mine + cost) / 2 : cost;
    if (helps_ && cost > hopeless) {  // Nothing that cache lines would explain.
      with_ = without_ = unknown;
      same_way_ = true;
      return;
    }
    const bool better = without_ == unknown || without_ > brief || without_ > 0.9 * with_;
    const bool tries = --until_trial_ == 0;
    if (tries) until_trial_ = interval_ = std::min(2 * interval_, longest_interval);
    const bool next = tries ? !better : better;
    same_way_ = next == helps_;
    helps_ = next;
  }

  bool helps_ = true, same_way_ = true;        // As in the span before.
  double with_ = unknown, without_ = unknown;  // Nanoseconds for a node, lately.
  unsigned until_trial_ = 1, interval_ = first_interval / 2;
  std::uint64_t completed_ = 0;
  nanoseconds since_{};
};

}  // namespace deed::runtime
