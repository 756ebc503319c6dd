// SPDX-License-Identifier: MIT
#include "analysis/ask/left_out_calls.hpp"

#include <deed/trace/events.hpp>

#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>

namespace deed::viewer {
namespace {

/// The texts are kept once, so that their addresses tell calls apart.
struct one_call {
  const std::string* name = nullptr;  ///< "barrier".
  const std::string* what = nullptr;  ///< "`barrier` at heat.cpp:57".
  std::int64_t time = 0;
};
using calls_of_rank = std::vector<one_call>;

bool are_alike(const one_call& a, const one_call& b) { return a.what == b.what; }
bool are_same(const calls_of_rank& a, const calls_of_rank& b) {
  return std::ranges::equal(a, b, are_alike);
}

/// What ends so because of such a call: of others, and of messages, a rank that has not come to it
/// waits for something else.
bool ended_before_a_call(const model& of) {
  const run& r = of.events();
  return std::ranges::any_of(of.failures(), [&](std::uint32_t index) {
    const event e = r.events()[index];
    if (e.what != record::error) return false;
    const std::string told = of.text(r.rank_of(e), r.get32(e, field::msg));
    const auto says = [&](const char* call) {
      return told.find(std::string("] not every rank reaches ") + call) != std::string::npos ||
             told.find(std::string("] deadlock: not every rank reaches ") + call) !=
                 std::string::npos;
    };
    // Of the last: rank 0 has come to a `wait()` meanwhile, since it left out the others.
    return says("`barrier()`") || says("`any()`") || says("the same call") || says("`wait()`");
  });
}

/// By rank, in the order of its program; `texts` keeps what they are called.
std::vector<calls_of_rank> all_calls(const model& of, std::set<std::string>& texts) {
  const run& r = of.events();
  std::vector<calls_of_rank> calls(r.ranks().size());
  for (const wait_span& each : of.waits()) {
    const auto rank = static_cast<std::size_t>(r.lanes()[each.lane].rank);
    if (static_cast<trace::wait_kind>(each.what) != trace::wait_kind::barrier ||
        rank >= calls.size())
      continue;
    const event begin = r.events()[each.event];
    const std::uint32_t loc = r.get32(begin, field::loc);
    if (!of.is_place(r.rank_of(begin), loc)) continue;  // The end of the session, and its start.
    const std::string& name = *texts.insert(wait_name(of, begin)).first;
    const std::string what = "`" + name + "` at " + of.place(r.rank_of(begin), loc);
    calls[rank].push_back({&name, &*texts.insert(what).first, each.begin});
  }
  return calls;
}

/// Which call of `all` is the one without which it is `few`, as far as both go; none: there is
/// none.
std::optional<std::size_t> lacks(const calls_of_rank& few, const calls_of_rank& all) {
  const auto differ = std::ranges::mismatch(all, few, are_alike);
  if (differ.in1 == all.end()) return {};
  const auto at = static_cast<std::size_t>(differ.in1 - all.begin());
  for (std::size_t i = at; i < few.size() && i + 1 < all.size(); ++i)
    if (!are_alike(few[i], all[i + 1])) return {};
  // One alone that differs, at the end of both, may be the same call at another line.
  const bool may_be_one = at < few.size() && at + 1 == all.size() && few[at].name == all[at].name;
  return may_be_one ? std::nullopt : std::optional(at);
}

std::size_t times(const calls_of_rank& of, const one_call& call) {
  return static_cast<std::size_t>(
      std::ranges::count_if(of, [&](const one_call& each) { return are_alike(each, call); }));
}

std::string rank_name(std::size_t rank) { return "rank " + std::to_string(rank); }

/// Of a loop nobody knows which of its calls it was.
std::string say_left_out(const std::vector<calls_of_rank>& calls, std::size_t rank,
                         std::size_t usual, std::size_t call) {
  const one_call& made = calls[usual][call];
  const std::size_t here = times(calls[rank], made);
  if (here == 0 || call < calls[rank].size())
    return rank_name(rank) + " may have left out " + *made.what + ", which " + rank_name(usual) +
           " made at " + say_time(made.time);
  return rank_name(rank) + " may have left out one of the calls of " + *made.what + ": it made " +
         say_count(here) + " of them, and " + rank_name(usual) + " " +
         say_count(times(calls[usual], made));
}

/// The first rank of those that made what most ranks did; of equally many, what is longer.
std::size_t usual_rank(const std::vector<calls_of_rank>& calls) {
  std::size_t usual = 0, most = 0;
  for (std::size_t rank = 0; rank < calls.size(); ++rank) {
    const auto alike = static_cast<std::size_t>(std::ranges::count_if(
        calls, [&](const calls_of_rank& each) { return are_same(each, calls[rank]); }));
    if (alike < most || (alike == most && calls[rank].size() <= calls[usual].size())) continue;
    usual = rank;
    most = alike;
  }
  return usual;
}

}  // namespace

std::vector<left_out_call> left_out_calls(const model& of) {
  constexpr std::size_t most_ranks = 256;  // Each is compared with each.
  std::vector<left_out_call> found;
  if (of.events().ranks().size() > most_ranks || !of.events().is_recorded_from_start() ||
      !ended_before_a_call(of))
    return found;
  std::set<std::string> texts;
  const std::vector<calls_of_rank> calls = all_calls(of, texts);
  const std::size_t usual = usual_rank(calls);
  for (std::size_t rank = 0; rank < calls.size(); ++rank) {
    if (are_same(calls[rank], calls[usual])) continue;
    if (const auto call = lacks(calls[rank], calls[usual]))
      found.push_back({static_cast<int>(rank), calls[usual][*call].time,
                       say_left_out(calls, rank, usual, *call)});
    else if (const auto alone = lacks(calls[usual], calls[rank]))
      found.push_back({static_cast<int>(rank), calls[rank][*alone].time,
                       rank_name(rank) + " alone seems to make " + *calls[rank][*alone].what +
                           ", at " + say_time(calls[rank][*alone].time)});
  }
  return found;
}

}  // namespace deed::viewer
