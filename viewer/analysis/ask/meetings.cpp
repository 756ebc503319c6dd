// SPDX-License-Identifier: MIT
#include "analysis/ask/meetings.hpp"

#include <deed/trace/events.hpp>

#include "analysis/ask/joined_times.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

namespace deed::viewer {
namespace {

using stays_of_ranks = std::vector<std::vector<time_range>>;

/// What is left of a time without those of `others`, which are in order.
void add_rest(time_range of, const std::vector<time_range>& others, std::vector<time_range>& into) {
  auto each = std::ranges::upper_bound(others, of.from, {}, &time_range::to);
  for (; each != others.end() && each->from < of.to; ++each) {
    if (of.from < each->from) into.push_back({of.from, each->from});
    of.from = std::max(of.from, each->to);
  }
  if (of.from < of.to) into.push_back(of);
}

class finder {
 public:
  explicit finder(const model& of) : of_(of), ranks_(static_cast<std::size_t>(of.ranks())) {}

  [[nodiscard]] stays_of_ranks barriers() const {
    stays_of_ranks found(ranks_);
    for (const wait_span& each : of_.waits())
      if (const int rank = rank_of(each.lane);
          rank >= 0 && static_cast<trace::wait_kind>(each.what) == trace::wait_kind::barrier)
        found[static_cast<std::size_t>(rank)].push_back({each.begin, each.end});
    for (auto& each : found) std::ranges::sort(each, {}, &time_range::from);
    return found;
  }

  [[nodiscard]] stays_of_ranks calls() const {
    constexpr std::uint8_t idle_dependency = 3;
    constexpr std::int64_t too_short = 10'000;  // A thread may say late that it has work.
    const stays_of_ranks open = what_is_open();
    stays_of_ranks found(ranks_);
    for (const state_span& each : of_.states())
      if (const int rank = rank_of(each.lane); rank >= 0 && each.state == idle_dependency) {
        const auto here = static_cast<std::size_t>(rank);
        add_rest({of_.begin_of(each), each.end}, open[here], found[here]);
      }
    for (auto& each : found) {
      std::erase_if(each, [](const time_range& stay) { return stay.to - stay.from < too_short; });
      each = joined(std::move(each));
    }
    return found;
  }

 private:
  /// -1: of none that has a program.
  [[nodiscard]] int rank_of(std::uint32_t lane) const {
    if (lane >= of_.events().lanes().size()) return -1;
    const int rank = of_.events().lanes()[lane].rank;
    return rank < of_.ranks() ? rank : -1;
  }
  [[nodiscard]] stays_of_ranks what_is_open() const {
    stays_of_ranks open(ranks_);
    const auto add = [&](int rank, std::int64_t begin, std::int64_t end) {
      if (rank < 0 || rank >= of_.ranks() || begin == never) return;
      if (end == never) end = std::numeric_limits<std::int64_t>::max();
      auto& here = open[static_cast<std::size_t>(rank)];
      // Most of them begin in the one before, and there are millions.
      if (!here.empty() && here.back().from <= begin && begin <= here.back().to)
        here.back().to = std::max(here.back().to, end);
      else
        here.push_back({begin, end});
    };
    for (const task& t : of_.tasks()) add(t.rank, t.submit == never ? t.begin : t.submit, t.end);
    for (const transfer& x : of_.transfers()) {
      add(x.src, x.post_send, x.done_send);
      add(x.dst, x.post_receive, x.done_receive);
    }
    for (const wait_span& each : of_.waits()) add(rank_of(each.lane), each.begin, each.end);
    for (auto& each : open) each = joined(std::move(each));
    return open;
  }

  const model& of_;
  const std::size_t ranks_;
};

/// The ranks come to the same calls in the same order, and none leaves before all have come. Stays
/// that have no moment in common are not of one call: of some of them, a part was not recorded.
void match(const stays_of_ranks& stays, bool barrier, std::vector<meeting>& into) {
  std::vector<std::size_t> next(stays.size());
  const auto stay = [&](std::size_t rank) { return stays[rank][next[rank]]; };
  const auto is_left = [&](std::size_t rank) { return next[rank] < stays[rank].size(); };
  for (;;) {
    std::size_t last = 0, first = 0;  // To come, and to go.
    for (std::size_t rank = 0; rank < stays.size(); ++rank) {
      if (!is_left(rank)) return;
      if (stay(rank).from > stay(last).from) last = rank;
      if (stay(rank).to < stay(first).to) first = rank;
    }
    if (stay(first).to < stay(last).from) {
      ++next[first];
      continue;
    }
    meeting& found = into.emplace_back();
    for (std::size_t rank = 0; rank < stays.size(); ++rank) found.stays.push_back(stay(rank));
    found.last = static_cast<int>(last);
    found.since = stay(last).from;
    found.barrier = barrier;
    for (std::size_t& each : next) ++each;
  }
}

}  // namespace

meetings::meetings(const model& of, also_calls calls) {
  if (of.ranks() < 2) return;
  const finder all(of);
  match(all.barriers(), true, all_);
  if (calls == also_calls::yes) match(all.calls(), false, all_);
  std::ranges::stable_sort(all_, {}, &meeting::since);
}

std::size_t meetings::first_after(int rank, std::int64_t moment) const {
  const auto end = [&](const meeting& each) {
    return each.stays[static_cast<std::size_t>(rank)].to;
  };
  return static_cast<std::size_t>(
      std::distance(all_.begin(), std::ranges::upper_bound(all_, moment, {}, end)));
}

std::size_t meetings::left(int rank, std::int64_t until, std::size_t of_first) const {
  const std::size_t after = std::min(first_after(rank, until), of_first);
  return after == 0 ? of_first : after - 1;
}

}  // namespace deed::viewer
