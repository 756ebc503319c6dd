// SPDX-License-Identifier: MIT
#include "analysis/ask/meetings.hpp"

#include <deed/trace/events.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace deed::viewer {
namespace {

struct stay {
  time_range time;
  std::uint32_t event = none;
};
using stays_of_ranks = std::vector<std::vector<stay>>;

/// Of a lane; -1: of none that has a program.
int rank_of(const model& of, std::uint32_t lane) {
  if (lane >= of.events().lanes().size()) return -1;
  const int rank = of.events().lanes()[lane].rank;
  return rank < of.ranks() ? rank : -1;
}

/// A collective call of all ranks that none leaves before all have come.
bool joins_all(const model& of, const wait_span& wait) {
  using enum trace::collective_kind;
  if (static_cast<trace::wait_kind>(wait.what) != trace::wait_kind::collective) return false;
  const event begin = of.events().events()[wait.event];
  const auto call = trace::collective_call::of(of.events().get(begin, field::id));
  return call.group == 0 &&
         (call.kind == all_gather || call.kind == all_reduce || call.kind == all_to_all);
}

bool is_barrier(const model& /*of*/, const wait_span& wait) {
  return static_cast<trace::wait_kind>(wait.what) == trace::wait_kind::barrier;
}

stays_of_ranks stays_at(const model& of, bool (*is_one)(const model&, const wait_span&)) {
  constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();
  stays_of_ranks found(static_cast<std::size_t>(of.ranks()));
  for (const wait_span& each : of.waits())
    if (const int rank = rank_of(of, each.lane); rank >= 0 && is_one(of, each))
      found[static_cast<std::size_t>(rank)].push_back(
          {{each.begin, each.ended ? each.end : for_ever}, each.event});
  for (auto& each : found) std::ranges::sort(each, {}, [](const stay& s) { return s.time.from; });
  return found;
}

/// The ranks come to the same calls in the same order, and none leaves before all have come. Stays
/// that have no moment in common are not of one call: of some of them, a part was not recorded.
void match(const stays_of_ranks& stays, std::vector<meeting>& into) {
  std::vector<std::size_t> next(stays.size());
  const auto at = [&](std::size_t rank) { return stays[rank][next[rank]]; };
  const auto is_left = [&](std::size_t rank) { return next[rank] < stays[rank].size(); };
  for (;;) {
    std::size_t last = 0, first = 0;  // To come, and to go.
    for (std::size_t rank = 0; rank < stays.size(); ++rank) {
      if (!is_left(rank)) return;
      if (at(rank).time.from > at(last).time.from) last = rank;
      if (at(rank).time.to < at(first).time.to) first = rank;
    }
    if (at(first).time.to < at(last).time.from) {
      ++next[first];
      continue;
    }
    meeting& found = into.emplace_back();
    for (std::size_t rank = 0; rank < stays.size(); ++rank) found.stays.push_back(at(rank).time);
    found.last = static_cast<int>(last);
    found.since = at(last).time.from;
    found.event = at(last).event;
    for (std::size_t& each : next) ++each;
  }
}

/// Ranks that have come for ever: a rank that is recorded comes to fewer of them.
void find_unfinished(const model& of, const stays_of_ranks& stays,
                     std::vector<unfinished_meeting>& into) {
  std::size_t most = 0;
  for (const auto& each : stays) most = std::max(most, each.size());
  std::vector<int> missing;
  for (const rank_info& each : of.events().ranks())
    if (each.present && each.rank >= 0 && each.rank < of.ranks() &&
        stays[static_cast<std::size_t>(each.rank)].size() < most)
      missing.push_back(each.rank);
  if (missing.empty()) return;
  for (std::size_t rank = 0; rank < stays.size(); ++rank) {
    if (stays[rank].size() != most) continue;
    const auto& [time, event] = stays[rank].back();
    if (time.to > of.events().end())
      into.push_back({static_cast<int>(rank), time.from, event, missing});
  }
}

}  // namespace

meetings::meetings(const model& of) {
  if (of.ranks() < 2) return;
  for (const auto is_one : {&is_barrier, &joins_all}) {
    const stays_of_ranks stays = stays_at(of, is_one);
    match(stays, all_);
    find_unfinished(of, stays, unfinished_);
  }
  std::ranges::stable_sort(all_, {}, &meeting::since);
  std::ranges::stable_sort(unfinished_, {}, &unfinished_meeting::rank);
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

const char* name_of_stay(std::uint8_t what) {
  switch (static_cast<trace::wait_kind>(what)) {
    case trace::wait_kind::barrier:
      return "barrier";
    case trace::wait_kind::collective:
      return "collective call";
    case trace::wait_kind::clocks:
      return "comparing clocks";
    case trace::wait_kind::request:
      return "request wait";
    default:
      return "";
  }
}

namespace {

/// The last that was posted before the wait, of those with one tag to one rank.
std::uint32_t message_that_took(const model& of, const event& begin, int rank) {
  const run& r = of.events();
  const auto peer = static_cast<int>(r.get32(begin, field::peer));
  const std::uint32_t tag = r.get32(begin, field::tag);
  std::uint32_t found = none;
  for (const std::uint32_t i :
       of.transfers_from(rank, r.get32(begin, field::handle), r.get32(begin, field::version))) {
    const transfer& x = of.transfers()[i];
    const bool is_it = x.is_message() && x.dst == peer && x.post_send != never &&
                       x.post_send <= begin.time && trace::short_tag(of.tag_of(x)) == tag;
    if (is_it && (found == none || of.transfers()[found].post_send <= x.post_send)) found = i;
  }
  return found;
}

}  // namespace

std::uint32_t awaited_message(const model& of, const wait_span& wait) {
  if (static_cast<trace::wait_kind>(wait.what) != trace::wait_kind::request) return none;
  const event begin = of.events().events()[wait.event];
  const auto named = [&](field each) {
    return static_cast<std::uint32_t>(of.events().get(begin, each, trace::nothing));
  };
  const std::uint32_t handle = named(field::handle);
  const int rank = of.events().rank_of(begin);
  if (handle == trace::nothing) return none;
  return named(field::peer) == trace::nothing
             ? of.message_that_brought(handle, named(field::version), rank)
             : message_that_took(of, begin, rank);
}

std::vector<std::vector<program_stay>> stays_of_programs(const model& of) {
  std::vector<std::vector<program_stay>> found(static_cast<std::size_t>(std::max(0, of.ranks())));
  for (const wait_span& each : of.waits())
    if (const int rank = rank_of(of, each.lane); rank >= 0 && *name_of_stay(each.what) != '\0')
      found[static_cast<std::size_t>(rank)].push_back(
          {{each.begin, each.end}, each.what, awaited_message(of, each)});
  for (auto& each : found) {
    std::ranges::sort(each, {}, [](const program_stay& s) { return s.time.from; });
    for (std::size_t i = 1; i < each.size(); ++i)  // Where the end of one is lost.
      each[i - 1].time.to = std::min(each[i - 1].time.to, each[i].time.from);
  }
  return found;
}

}  // namespace deed::viewer
