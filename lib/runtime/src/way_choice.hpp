// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

/// @file
/// Which of two ways is the quicker one for brief tasks, by what they cost.

namespace deed::runtime {

/// What spreads work over threads is not always quicker: of tasks that take less time than the
/// cache lines that two cores exchange for one, fewer threads run more. What a node takes, by the
/// clock and of all threads together, is measured both ways, and the other way tried again, ever
/// more seldom. The usual way is left only where the other is briefer than half a microsecond, and
/// by a tenth.
///
/// Threads: one. Cost: what its caller pays for the time and the count at the end of a span.
class way_choice {
 public:
  using nanoseconds = std::chrono::nanoseconds;

  /// Spans between two trials of the other way: at first, at most, and while the usual one is
  /// taken.
  struct intervals {
    unsigned first = 8, longest = 64, longest_usual = 64;
  };
  way_choice() = default;
  explicit way_choice(intervals of_trials) noexcept
      : of_trials_(of_trials), interval_(of_trials.first / 2) {}

  [[nodiscard]] bool usual() const noexcept { return usual_; }
  /// Spans that may be one, as nothing is decided between them: one, where this way is a trial.
  [[nodiscard]] unsigned spans_alike() const noexcept { return same_way_ ? until_trial_ : 1; }
  /// A span begins; so many nodes were before.
  void begin(std::uint64_t nodes, nanoseconds now) noexcept {
    nodes_ = nodes;
    since_ = now;
  }
  /// The span ends, which went the usual way or not, as `usual()` said; the next begins. Or so many
  /// spans, at most `spans_alike()`.
  void end(std::uint64_t nodes, nanoseconds now, unsigned spans = 1) noexcept {
    until_trial_ -= spans - 1;
    const auto of_span = static_cast<double>(std::max<std::uint64_t>(nodes - nodes_, 1));
    note(static_cast<double>((now - since_).count()) / of_span);
    begin(nodes, now);
  }
  /// In the middle of a span of the other way: it is no way for what comes now.
  void give_up(std::uint64_t nodes, nanoseconds now) noexcept {
    of_other_ = unknown;
    usual_ = same_way_ = true;
    until_trial_ = std::min(until_trial_, of_trials_.longest_usual);
    begin(nodes, now);
  }

 private:
  static constexpr double brief = 500, hopeless = 5'000;  // Nanoseconds for a node.
  static constexpr double unknown = -1;

  void note(double cost) noexcept {
    double& mine = usual_ ? of_usual_ : of_other_;
    mine = same_way_ && mine != unknown ? (mine + cost) / 2 : cost;
    if (usual_ && cost > hopeless) {  // Nothing that cache lines would explain.
      of_usual_ = of_other_ = unknown;
      same_way_ = true;
      return;
    }
    const bool better = of_other_ == unknown || of_other_ > brief || of_other_ > 0.9 * of_usual_;
    const bool tries = --until_trial_ == 0;
    if (tries) until_trial_ = interval_ = std::min(2 * interval_, of_trials_.longest);
    const bool next = tries ? !better : better;
    same_way_ = next == usual_;
    usual_ = next;
    if (better) until_trial_ = std::min(until_trial_, of_trials_.longest_usual);
  }

  bool usual_ = true, same_way_ = true;             // As in the span before.
  double of_usual_ = unknown, of_other_ = unknown;  // Nanoseconds for a node, lately.
  intervals of_trials_{};
  unsigned interval_ = intervals{}.first / 2, until_trial_ = 1;
  std::uint64_t nodes_ = 0;
  nanoseconds since_{};
};

}  // namespace deed::runtime
