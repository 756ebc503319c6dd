// SPDX-License-Identifier: MIT
#include "analysis/match/meetings.hpp"

#include <deed/trace/events.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

namespace deed::viewer {
namespace {

struct stay {
  time_range time;
  std::uint32_t event = none;
};
/// Of the ranks that come to meetings of one kind, what each stays there, in order.
using stays_of_ranks = std::map<int, std::vector<stay>>;
using stays_to_be = std::vector<std::vector<meeting_stay>>;

bool joins_all(trace::collective_kind kind) {
  using enum trace::collective_kind;
  return kind == all_gather || kind == all_reduce || kind == all_to_all;
}

/// Calls that none leaves before all have come are in one order, whatever their kind; of the others
/// each kind with each root is.
trace::collective_call sequence_of(const trace::collective_call& call) {
  if (!joins_all(call.kind)) return call;
  return {trace::collective_kind::all_gather, 0, call.group};
}

struct found_stays {
  stays_of_ranks barriers;
  std::map<std::uint64_t, stays_of_ranks> calls;  // By the word of their sequence.
};

found_stays find_stays(const model& of) {
  constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();
  found_stays found;
  for (const wait_span& each : of.waits()) {
    const int rank = of.events().lanes()[each.lane].rank;
    if (rank < 0 || rank >= of.ranks()) continue;
    const stay mine{{each.begin, each.ended ? each.end : for_ever}, each.event};
    const auto what = static_cast<trace::wait_kind>(each.what);
    if (what == trace::wait_kind::barrier) found.barriers[rank].push_back(mine);
    if (what != trace::wait_kind::collective) continue;
    const event begin = of.events().events()[each.event];
    const auto call = trace::collective_call::of(of.events().get(begin, field::id));
    found.calls[sequence_of(call).word()][rank].push_back(mine);
  }
  const auto sort = [](stays_of_ranks& of_ranks) {
    for (auto& [rank, each] : of_ranks)
      std::ranges::sort(each, {}, [](const stay& s) { return s.time.from; });
  };
  sort(found.barriers);
  for (auto& [call, each] : found.calls) sort(each);
  return found;
}

/// To what all ranks come, even if some never came.
void add_missing(const model& of, stays_of_ranks& to) {
  for (int rank = 0; rank < of.ranks(); ++rank) to.try_emplace(rank);
}

/// The ranks come to the same calls in the same order, and none leaves before all have come. Stays
/// that have no moment in common are not of one call: of some of them, a part was not recorded.
void match_joint(const stays_of_ranks& stays, stays_to_be& into) {
  std::map<int, std::size_t> next;
  const auto at = [&](int rank) { return stays.at(rank)[next[rank]]; };
  for (;;) {
    int last = -1, first = -1;  // To come, and to go.
    for (const auto& [rank, each] : stays) {
      if (next[rank] == each.size()) return;
      if (last < 0 || at(rank).time.from > at(last).time.from) last = rank;
      if (first < 0 || at(rank).time.to < at(first).time.to) first = rank;
    }
    if (last < 0) return;
    if (at(first).time.to < at(last).time.from) {
      ++next[first];
      continue;
    }
    const std::int64_t since = at(last).time.from;
    for (const auto& [rank, each] : stays) {
      into[static_cast<std::size_t>(rank)].push_back({at(rank).time, last, since, at(rank).event});
      ++next[rank];
    }
  }
}

/// Calls of one kind with one root, of all ranks.
class rooted_calls {
 public:
  rooted_calls(const stays_of_ranks& stays, const trace::collective_call& call, int ranks)
      : stays_(stays), kind_(call.kind), root_(static_cast<int>(call.root)), ranks_(ranks) {}

  /// Each rank came to as many, where all was recorded; else nothing is known.
  void match(stays_to_be& into) const {
    if (stays_.size() != static_cast<std::size_t>(ranks_) || root_ >= ranks_) return;
    const std::size_t count = stays_.at(root_).size();
    for (const auto& [rank, each] : stays_)
      if (each.size() != count) return;
    for (std::size_t i = 0; i < count; ++i)
      for (const auto& [rank, each] : stays_)
        if (const int awaited = awaited_by(rank, i); awaited != rank)
          into[static_cast<std::size_t>(rank)].push_back(
              {each[i].time, awaited, came(awaited, i), each[i].event});
  }

 private:
  [[nodiscard]] std::int64_t came(int rank, std::size_t i) const {
    return stays_.at(rank)[i].time.from;
  }
  /// Of those for which a rank stands in a call, the last to come after it; itself: none did.
  [[nodiscard]] int awaited_by(int rank, std::size_t i) const {
    using enum trace::collective_kind;
    int last = rank;
    const auto stands_for = [&](int another) {
      if (came(another, i) > came(last, i)) last = another;
    };
    if (kind_ == gather || kind_ == reduce) {
      for (int each = 0; each < ranks_ && rank == root_; ++each) stands_for(each);
    } else if (kind_ == scatter) {
      stands_for(root_);
    } else if (kind_ == broadcast) {
      for (int above = rank; above != root_;) stands_for(above = parent_of(above));
    }
    return last;
  }
  /// In the binomial tree of a broadcast, as the runtime builds it: each takes its lowest one away.
  [[nodiscard]] int parent_of(int rank) const {
    const int place = (rank - root_ + ranks_) % ranks_;
    return ((place & (place - 1)) + root_) % ranks_;
  }

  const stays_of_ranks& stays_;
  const trace::collective_kind kind_;
  const int root_, ranks_;
};

/// Ranks that have come for ever: a rank that is recorded comes to fewer of them.
void find_unfinished(const model& of, const stays_of_ranks& stays,
                     std::vector<unfinished_meeting>& into) {
  std::size_t most = 0;
  for (const auto& [rank, each] : stays) most = std::max(most, each.size());
  std::vector<int> missing;
  for (const rank_info& each : of.events().ranks())
    if (const auto mine = stays.find(each.rank);
        each.present && mine != stays.end() && mine->second.size() < most)
      missing.push_back(each.rank);
  if (missing.empty()) return;
  for (const auto& [rank, each] : stays) {
    if (each.size() != most) continue;
    const auto& [time, event] = each.back();
    if (time.to > of.events().end()) into.push_back({rank, time.from, event, missing});
  }
}

}  // namespace

meetings::meetings(const model& of) {
  if (of.ranks() < 2) return;
  stays_.resize(static_cast<std::size_t>(of.ranks()));
  found_stays found = find_stays(of);
  add_missing(of, found.barriers);
  match_joint(found.barriers, stays_);
  find_unfinished(of, found.barriers, unfinished_);
  for (auto& [word, stays] : found.calls) {
    const auto call = trace::collective_call::of(word);
    if (!joins_all(call.kind)) {
      // The root of a group's call is a number in the group, whose order is not recorded.
      if (call.group == 0) rooted_calls(stays, call, of.ranks()).match(stays_);
      continue;
    }
    if (call.group == 0) add_missing(of, stays);
    match_joint(stays, stays_);
    find_unfinished(of, stays, unfinished_);
  }
  for (auto& each : stays_) {
    std::ranges::stable_sort(each, {}, [](const meeting_stay& s) { return s.time.from; });
    for (std::size_t i = 1; i < each.size(); ++i)  // Where the end of one is lost.
      each[i - 1].time.to = std::min(each[i - 1].time.to, each[i].time.from);
  }
  std::ranges::stable_sort(unfinished_, {}, &unfinished_meeting::rank);
}

std::span<const meeting_stay> meetings::of_rank(int rank) const {
  const auto at = static_cast<std::size_t>(rank);
  return at < stays_.size() ? std::span(stays_[at]) : std::span<const meeting_stay>();
}

}  // namespace deed::viewer
