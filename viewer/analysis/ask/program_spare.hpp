// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

/// @file
/// How much later programs may be, and what they wait for.

namespace deed::viewer {

/// Of the program of a rank, backwards in time. Between its waits it takes the time that it took.
class program_spare {
 public:
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 4;

  /// What it did at a moment may have been as late as `latest`.
  void demand(std::int64_t moment, std::int64_t latest) { demands_.emplace(moment, latest); }
  /// How much later it may be, by all that it did from a moment on.
  std::int64_t go_back_to(std::int64_t moment) {
    for (; !demands_.empty() && demands_.top().first >= moment; demands_.pop())
      spare_ = std::min(spare_, demands_.top().second - demands_.top().first);
    return spare_;
  }
  /// It stood for another there; so much later it may have come.
  void stood(std::int64_t time) { spare_ = std::min(unlimited, spare_ + time); }
  /// What it did later counts no more.
  void forget() { spare_ = unlimited; }

 private:
  std::priority_queue<std::pair<std::int64_t, std::int64_t>> demands_;  // The last one first.
  std::int64_t spare_ = unlimited;
};

/// Until when the tasks of a rank may end, for all of which its program waits.
class waits_for_all {
 public:
  /// Backwards in time.
  void add(std::int64_t end, std::int64_t latest) {
    if (!waits_.empty()) latest = std::min(latest, waits_.back().latest);
    waits_.push_back({end, latest});
  }
  /// By the waits that ended when a task had, or later.
  [[nodiscard]] std::int64_t latest(std::int64_t task_end) const {
    const auto behind = std::ranges::partition_point(
        waits_, [&](const wait& each) { return each.end >= task_end; });
    return behind == waits_.begin() ? program_spare::unlimited : std::prev(behind)->latest;
  }

 private:
  struct wait {
    std::int64_t end = 0, latest = 0;
  };
  std::vector<wait> waits_;  // The last one first.
};

}  // namespace deed::viewer
