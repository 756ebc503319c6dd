// SPDX-License-Identifier: MIT
#pragma once

#include <deed/runtime/options.hpp>

#include "known_codelet.hpp"
#include "way_choice.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

/// @file
/// Whether a task runs in `insert_task` itself.

namespace deed::runtime {

/// A task that is inserted while nothing waits on its rank waits for nothing, and nothing for it:
/// run at once it needs no place in the graph, no queue and no line of another core's cache. That
/// is an undeferred task, as OpenMP calls it. Where tasks are left to the workers, which is the
/// usual way, and where they are not, is chosen by what both cost; and only codelets that were
/// brief when they were last timed are run so.
///
/// Threads: the submitter. Cost: two looks at the clock for 31 tasks that run at once.
class undeferred {
 public:
  using nanoseconds = std::chrono::nanoseconds;

  /// `asked` as `session_options::defer`.
  explicit undeferred(deferral asked) noexcept
      : on_(asked == deferral::off), chooses_(asked == deferral::automatic) {}

  /// Whether tasks run at once while nothing waits.
  [[nodiscard]] bool on() const noexcept { return on_; }
  /// Whatever they take.
  [[nodiscard]] bool always() const noexcept { return on_ && !chooses_; }
  [[nodiscard]] bool takes(const known_codelet& codelet) const noexcept {
    return !chooses_ || codelet.is_brief();
  }

  /// Whether tasks may run at once at all, by what they cost.
  [[nodiscard]] bool chooses() const noexcept { return chooses_; }
  /// A task is left to the workers.
  void leave(const known_codelet& codelet) noexcept {
    if (codelet.is_brief()) ++brief_;
    mixed_ = true;
  }
  /// So many nodes were left to the workers, in all. Whether tasks are to run at once from `start`
  /// on, for which what waits is to end first.
  [[nodiscard]] bool begins(std::uint64_t left, nanoseconds now) noexcept {
    const std::uint64_t since = left - left_before_;
    if (!chooses_ || since < span) return false;
    const bool all_brief = 8 * brief_ >= 7 * since;
    left_before_ = left;
    brief_ = 0;
    if (on_) {  // Something long among them, or a codelet that nobody had timed yet.
      begin_span(now);
      return all_brief;
    }
    if (all_brief) {
      choice_.end(nodes(), now);
    } else {
      choice_.begin(nodes(), now);
    }
    return !choice_.usual();
  }
  /// Nothing waits any more.
  void start(nanoseconds now) noexcept {
    on_ = true;
    stride_ = until_look_ = 1;
    span_ = trial;
    begin_span(now);
  }
  /// What was left to the workers meanwhile was no choice.
  void skip(std::uint64_t left, nanoseconds now) noexcept {
    left_before_ = left;
    brief_ = 0;
    begin_span(now);
  }
  /// What is left to the workers does not end soon, or tasks are not brief any more.
  void stop(nanoseconds now) noexcept {
    on_ = !chooses_;
    choice_.give_up(nodes(), now);
  }

  /// A task runs at once: whether it is to be timed.
  [[nodiscard]] bool due() noexcept {
    ++ran_;
    return --until_look_ == 0;
  }
  /// It took so long, until now. What all took that ran at once since the last that was timed.
  [[nodiscard]] nanoseconds took(nanoseconds passed, nanoseconds now) noexcept {
    const auto since = static_cast<std::int64_t>(ran_ - ran_before_look_);
    const nanoseconds all = now - look_;
    ran_before_look_ = ran_;
    look_ = now;
    // What was left to the workers meanwhile is no cost of tasks that ran here, nor what the
    // program did.
    const bool alone = !std::exchange(mixed_, false);
    const bool slow = alone && all > since * (span_ == trial ? too_long_to_try : too_long);
    if (alone && !(slow && passed * since < all / 2)) {
      counted_tasks_ += static_cast<std::uint64_t>(since);
      counted_ += all;
    }
    slow_looks_ = slow ? slow_looks_ + 1 : 0;
    stride_ = slow ? 1 : std::min(2 * stride_, longest);
    until_look_ = stride_;
    if (chooses_ && (slow_looks_ > system_may_do || passed > hopeless)) {
      stop(now);
    } else if (chooses_ && ran_ - span_begin_ >= span_) {
      span_ = span;
      choice_.begin(0, nanoseconds(0));
      if (counted_tasks_ > 0) choice_.end(counted_tasks_, counted_);
      begin_span(now);
      on_ = !choice_.usual();
    }
    const nanoseconds taken = std::min(passed * since, all);  // One may be unlike the others.
    spent_ += taken;
    return taken;
  }
  /// Tasks took so long that ran at once and are none of those that are timed now and then.
  void add(nanoseconds passed) noexcept { spent_ += passed; }
  /// On all tasks that ran at once.
  [[nodiscard]] nanoseconds spent() const noexcept { return spent_; }

 private:
  static constexpr std::uint64_t span = 4096, trial = 1024;  // Tasks.
  // Of them, between two looks at the clock. Odd: of two that take turns, it meets both.
  static constexpr unsigned longest = 31;
  // For each task of a look. A task that others might run meanwhile costs all of its time here.
  static constexpr nanoseconds too_long{2'000}, too_long_to_try{500}, hopeless{50'000};
  static constexpr unsigned system_may_do = 3;  // Slow looks in a row.

  [[nodiscard]] std::uint64_t nodes() const noexcept { return left_before_ + ran_; }
  void begin_span(nanoseconds now) noexcept {
    choice_.begin(nodes(), now);
    span_begin_ = ran_before_look_ = ran_;
    slow_looks_ = 0;
    look_ = now;
    counted_tasks_ = 0;
    counted_ = nanoseconds(0);
    mixed_ = false;
  }

  bool on_, chooses_;
  way_choice choice_{{.first = 32, .longest = 512, .longest_usual = 4}};
  std::uint64_t left_before_ = 0, brief_ = 0;  // Left to the workers, before this span and in it.
  std::uint64_t ran_ = 0, span_ = span, span_begin_ = 0, ran_before_look_ = 0;
  unsigned stride_ = 1, until_look_ = 1, slow_looks_ = 0;
  nanoseconds look_{}, spent_{};
  // Of this span: tasks that ran here, one after the other, and what they cost.
  std::uint64_t counted_tasks_ = 0;
  nanoseconds counted_{};
  bool mixed_ = false;  // Since the last look a task was left.
};

}  // namespace deed::runtime
