// SPDX-License-Identifier: MIT
#include "analysis/ask/program_stays.hpp"

#include <deed/trace/events.hpp>

#include <algorithm>
#include <cstddef>

namespace deed::viewer {

const char* name_of_stay(std::uint8_t what) {
  switch (static_cast<trace::wait_kind>(what)) {
    case trace::wait_kind::barrier:
      return "barrier";
    case trace::wait_kind::handle:
      return "borrow";
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

/// Of those with one tag to one rank that were posted before the wait, the last that had been sent
/// when it was over; else one that was not.
std::uint32_t message_that_took(const model& of, const wait_span& wait, const event& begin,
                                int rank) {
  const run& r = of.events();
  const auto peer = static_cast<int>(r.get32(begin, field::peer));
  const std::uint32_t tag = r.get32(begin, field::tag);
  const auto is_it = [&](std::uint32_t i) {
    const transfer& x = of.transfers()[i];
    return x.is_message() && x.dst == peer && x.post_send != never && x.post_send <= begin.time &&
           of.short_tag_of(x) == tag;
  };
  const auto sends =
      of.transfers_from(rank, r.get32(begin, field::handle), r.get32(begin, field::version));
  const auto behind = std::ranges::upper_bound(
      sends, wait.end, {}, [&](std::uint32_t i) { return of.transfers()[i].done_send; });
  for (auto each = behind; each != sends.begin();)
    if (is_it(*--each)) return *each;
  const auto later = std::ranges::find_if(behind, sends.end(), is_it);
  return later == sends.end() ? none : *later;
}

}  // namespace

std::uint32_t message_of_wait(const model& of, const wait_span& wait) {
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
             : message_that_took(of, wait, begin, rank);
}

std::int64_t end_of_wait(const model& of, const wait_span& wait) {
  const event begin = of.events().events()[wait.event];
  const bool of_session = static_cast<trace::wait_kind>(wait.what) == trace::wait_kind::barrier &&
                          static_cast<trace::meeting_kind>(of.events().get(begin, field::id)) ==
                              trace::meeting_kind::end;
  return of_session || !wait.ended ? of.events().end() : wait.end;
}

std::vector<std::vector<program_stay>> stays_of_programs(const model& of) {
  std::vector<std::vector<program_stay>> found(static_cast<std::size_t>(std::max(0, of.ranks())));
  for (const wait_span& each : of.waits())
    if (const int rank = of.events().lanes()[each.lane].rank;
        0 <= rank && rank < of.ranks() && *name_of_stay(each.what) != '\0')
      found[static_cast<std::size_t>(rank)].push_back(
          {{each.begin, each.end}, each.what, message_of_wait(of, each), each.ended});
  for (auto& each : found) {
    std::ranges::sort(each, {}, [](const program_stay& s) { return s.time.from; });
    for (std::size_t i = 1; i < each.size(); ++i)  // Where the end of one is lost.
      each[i - 1].time.to = std::min(each[i - 1].time.to, each[i].time.from);
  }
  return found;
}

std::span<const program_stay> stays_beside(const model& of,
                                           const std::vector<std::vector<program_stay>>& all,
                                           std::uint32_t lane) {
  const auto rank = static_cast<std::size_t>(of.events().lanes()[lane].rank);
  return rank < all.size() ? std::span(all[rank]) : std::span<const program_stay>();
}

}  // namespace deed::viewer
