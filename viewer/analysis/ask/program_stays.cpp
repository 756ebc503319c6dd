// SPDX-License-Identifier: MIT
#include "analysis/ask/program_stays.hpp"

#include <deed/trace/events.hpp>

#include <algorithm>

namespace deed::viewer {

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
    if (const int rank = of.events().lanes()[each.lane].rank;
        0 <= rank && rank < of.ranks() && *name_of_stay(each.what) != '\0')
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
