// SPDX-License-Identifier: MIT
#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/blame.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/device_copies.hpp"
#include "analysis/ask/hang.hpp"
#include "analysis/ask/idle_threads.hpp"
#include "analysis/ask/left_out_calls.hpp"
#include "analysis/ask/phases_then.hpp"
#include "analysis/match/meetings.hpp"
#include "analysis/read/merge.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace deed::viewer {
namespace {

std::string rank_name(int rank) { return "rank " + std::to_string(rank); }

/// "a[3,1] v3 from rank 1 host to rank 1 gpu0, 2.1 MB, for 1.946 ms": the longest copy meanwhile of
/// what a task uses. Who drives a device hands out its data in between: a long copy, as the
/// first one, which takes pinned memory, holds up tasks of workers. Empty: there was none.
std::string say_copy_meanwhile(const model& of, const copies_of_data& copies,
                               const late_task& late) {
  const task& t = of.tasks()[late.task];
  const device_copy* longest = nullptr;
  for (const access& a : of.accesses(t)) {
    const device_copy* const each = copies.longest(a.handle, t.rank, {late.since, t.begin});
    if (each != nullptr && (longest == nullptr || each->took() > longest->took())) longest = each;
  }
  if (longest == nullptr) return {};
  return say_copy(of, longest->event) + ", for " + say_time(longest->took());
}

/// The most late first.
table say_late(const model& of, std::vector<late_task> late) {
  std::ranges::stable_sort(late, std::greater{}, [&](const late_task& each) {
    return of.tasks()[each.task].begin - each.since;
  });
  table said{"ready, with a worker that was free, and late",
             {"task", "rank", "could begin", "began", "late by"},
             {}};
  for (const late_task& each : late) {
    const task& t = of.tasks()[each.task];
    said.rows.push_back({of.task_name(each.task), std::to_string(t.rank), say_time(each.since),
                         say_time(t.begin), say_time(t.begin - each.since)});
    said.links.push_back("task:" + std::to_string(each.task));
  }
  const copies_of_data all_copies(of);
  std::vector<std::string> copies;
  for (const late_task& each : late) copies.push_back(say_copy_meanwhile(of, all_copies, each));
  if (std::ranges::all_of(copies, &std::string::empty)) return said;
  said.columns.push_back("meanwhile, a copy of its data");
  for (std::size_t i = 0; i < copies.size(); ++i)
    said.rows[i].push_back(copies[i].empty() ? "-" : std::move(copies[i]));
  return said;
}

/// Who waits for whom, rank by rank: how often, for how long until a moment, as far as that is
/// known, and what was asked for first. All last until then, so that they take as long as the
/// first. The longest first.
table say_ranks(const model& of, const std::vector<wait_edge>& edges, std::int64_t moment) {
  struct waits_of_pair {
    std::uint64_t count = 0;
    const wait_edge* first = nullptr;
  };
  std::map<std::pair<int, int>, waits_of_pair> pairs;
  for (const wait_edge& each : edges) {
    if (each.waits == each.awaited) continue;  // For its own task.
    waits_of_pair& mine = pairs[{each.waits, each.awaited}];
    if (mine.count++ == 0 || each.since < mine.first->since) mine.first = &each;
  }
  const auto how_long = [&](const auto& each) {
    const std::int64_t until = std::min(moment, of.known_until(each.first.first));
    return std::max<std::int64_t>(0, until - each.second.first->since);
  };
  std::vector<std::pair<std::pair<int, int>, waits_of_pair>> longest(pairs.begin(), pairs.end());
  std::ranges::stable_sort(longest, std::greater{}, how_long);
  table said{"rank by rank: how long so far, and what was asked for first",
             {"waits", "for", "times", "how long", "first"},
             {}};
  for (const auto& each : longest) {
    const auto& [ranks, mine] = each;
    said.rows.push_back(
        {rank_name(ranks.first), rank_name(ranks.second), say_count(mine.count),
         say_time(how_long(each)),
         mine.first->because + ": " + mine.first->from + " waits for " + mine.first->to});
  }
  return said;
}

}  // namespace

void mark_cycles(std::vector<wait_edge>& edges) {
  std::map<std::string, std::vector<std::size_t>> out;
  for (std::size_t i = 0; i < edges.size(); ++i) out[edges[i].from].push_back(i);
  for (wait_edge& each : edges) {
    std::set<std::string> seen;
    std::vector<std::string> todo{each.to};
    while (!todo.empty() && !each.in_cycle) {
      const std::string node = std::move(todo.back());
      todo.pop_back();
      if (node == each.from) each.in_cycle = true;
      if (!seen.insert(node).second) continue;
      const auto next = out.find(node);
      if (next == out.end()) continue;
      for (const std::size_t i : next->second) todo.push_back(edges[i].to);
    }
  }
}

namespace {

/// Null: the rank is no member.
const call_part* own_part(const numbered_call& call, int rank) {
  const auto mine = std::ranges::find(call.group->members, rank);
  if (mine == call.group->members.end()) return nullptr;
  return &call.parts[static_cast<std::size_t>(mine - call.group->members.begin())];
}

/// With which a rank made it; `none`: it has not, or is no member.
std::uint32_t own_call(const numbered_call& call, int rank) {
  const call_part* const mine = own_part(call, rank);
  return mine == nullptr ? none : mine->event;
}

/// Where a rank makes another call than one that waits for it: the event of that, if it has made it
/// by then.
std::uint32_t other_call(const model& of, const numbered_call& call, int waits, int awaited,
                         std::int64_t when) {
  const run& r = of.events();
  const std::uint32_t mine = own_call(call, waits), theirs = own_call(call, awaited);
  if (mine == none || theirs == none || r.events().time(theirs) > when) return none;
  const auto word = [&](std::uint32_t of_call) { return r.get(r.events()[of_call], field::id); };
  return word(mine) == word(theirs) ? none : theirs;
}

/// A program that stands at a barrier or in a collective call waits for those that have not come;
/// of many, for the first. In a recording without numbers of calls, one on a request is known when
/// its program waits for it: who has called may not have come to that.
void add_meetings(const model& of, std::int64_t when, std::vector<wait_edge>& into) {
  constexpr std::size_t few = 8;
  const meetings& met = of.met();
  const auto name = [&](std::uint32_t wait_of, std::uint32_t call, int rank) {
    const event begin = of.events().events()[wait_of];
    const std::string wait = "`" + wait_name(of, begin) + "`";
    if (call == none || has_number(of.events(), begin)) return wait;
    const std::string made =
        "`" + name_of_call(of, of.events().events()[own_call(met.calls().all()[call], rank)]) + "`";
    if (static_cast<trace::wait_kind>(of.events().get(begin, field::what)) == trace::wait_kind::all)
      return wait + " for " + made;
    const std::uint32_t borrowed = of.events().get32(begin, field::id);
    const std::string named = wait + " of " + of.handle_name(borrowed);
    return own_part(met.calls().all()[call], rank)->writes == borrowed
               ? named + ", which " + made + " writes"
               : named + ", whose task reads what " + made + " writes";
  };
  const auto is_barrier = [&](std::uint32_t event) {
    const auto begin = of.events().events()[event];
    if (static_cast<trace::wait_kind>(of.events().get(begin, field::what)) ==
        trace::wait_kind::barrier)
      return true;
    const auto call = trace::collective_call::of(of.events().get(begin, field::id));
    return call.kind == trace::collective_kind::barrier;
  };
  const auto not_there = [&](std::uint32_t event, std::uint32_t call, int rank,
                             int awaited) -> std::string {
    if (call == none)
      return is_barrier(event) ? " has not come" : " has not come to its wait there";
    if (const std::uint32_t other = other_call(of, met.calls().all()[call], rank, awaited, when);
        other != none)
      return " calls `" + name_of_call(of, of.events().events()[other]) + "` there";
    return met.has_called(call, awaited, when) ? " has called it, and what it gives is not there"
                                               : " has not called it";
  };
  const auto stands = [&](int rank, std::vector<int> missing, std::uint32_t event,
                          std::int64_t since, std::uint32_t call) {
    const std::string more =
        missing.size() > few ? ", nor have " + say_count(missing.size() - 1) + " others" : "";
    if (missing.size() > few) missing.resize(1);
    for (const int awaited : missing)
      into.push_back({rank_name(rank), rank_name(awaited),
                      name(event, call, rank) + ", where it stands since " + say_time(since) +
                          "; " + rank_name(awaited) + not_there(event, call, rank, awaited) + more,
                      false, rank, awaited, since});
  };
  for (int rank = 0; rank < of.ranks(); ++rank)
    for (const meeting_stay& each : met.of_rank(rank))
      if (each.time.from <= when && when < each.since && each.awaited != rank)
        stands(rank, met.missing_at(each, when), each.event, each.time.from, each.call);
  for (const unfinished_meeting& each : met.unfinished())
    if (each.since <= when) stands(each.rank, each.missing, each.event, each.since, each.call);
}

/// " by heat.cpp:57"; nothing where no line is known, as of what a task needs.
std::string say_line(const std::string& line) { return line.empty() ? "" : " by " + line; }

/// A program in a wait for all or for a request, of a rank that offers what its receiver has not
/// asked for.
void add_late_receivers(const model& of, std::int64_t when, std::vector<wait_edge>& into) {
  std::set<int> waiting;
  for (const wait_span& each : of.waits()) {
    const auto what = static_cast<trace::wait_kind>(each.what);
    if ((what == trace::wait_kind::all || what == trace::wait_kind::request) &&
        each.begin <= when && (!each.ended || each.end > when))
      waiting.insert(of.events().lanes()[each.lane].rank);
  }
  for (std::uint32_t i = 0; i < of.transfers().size() && !waiting.empty(); ++i) {
    const transfer& x = of.transfers()[i];
    const bool asked_for = x.post_receive != never && x.post_receive <= when;
    const bool gone = x.end() != never && x.end() <= when;
    const bool offered = x.start != never && x.offered() <= when;
    // One that was sent at once is over when its receiver asks for it.
    const bool late = x.receiver_was_late() || (x.post_receive == never && x.end() == never);
    if (asked_for || gone || !offered || !late || !waiting.contains(x.src)) continue;
    into.push_back({rank_name(x.src), rank_name(x.dst),
                    version_name(of, x.handle, x.version) + ", offered since " +
                        say_time(x.offered()) + say_line(of.sent_at(i)) + " and not asked for",
                    false, x.src, x.dst, x.offered(), false, i});
  }
}

/// A rank that stopped the run comes no more; of one that was killed nobody knows what it did then.
void add_ends_of_ranks(const model& of, std::int64_t when, std::vector<wait_edge>& into) {
  const run& r = of.events();
  std::set<int> stopped;
  for (const std::uint32_t each : of.stops()) stopped.insert(r.rank_of(r.events()[each]));
  std::map<int, std::string> ends;
  for (const rank_info& each : r.ranks())
    if (each.clock_kind != "virtual" && each.last <= when && each.last < r.end() &&
        (each.is_cut() || (each.ended && stopped.contains(each.rank))))
      ends[each.rank] =
          "; " + rank_name(each.rank) +
          (each.ended ? " has ended, its last record is at " : " records nothing since ") +
          say_time(each.last);
  for (wait_edge& each : into)
    if (const auto ended = ends.find(each.awaited); ended != ends.end())
      each.because += ended->second;
}

/// The ranks that stood still when their recording ended. The error of a deadlock ends their waits;
/// where none is recorded, a program that caught it went on.
std::set<int> ranks_that_stand(const model& of) {
  const run& r = of.events();
  const bool ended_so = std::ranges::any_of(
      of.failures(), [&](std::uint32_t each) { return tells_of_deadlock(of, each); });
  std::set<int> found;
  for (const rank_info& each : r.ranks())
    if (ended_so || each.is_left_open()) found.insert(each.rank);
  for (const wait_span& each : of.waits())
    if (!each.ended) found.insert(r.lanes()[each.lane].rank);
  return found;
}

/// A program that stands waits for the tasks of its rank, by which it stands.
std::vector<wait_edge> waits_for_own_tasks(const std::vector<wait_edge>& recorded,
                                           const std::set<int>& stand) {
  std::vector<wait_edge> found;
  std::set<std::string> met;
  for (const wait_edge& each : recorded) {
    const std::string rank = rank_name(each.waits);
    if (each.from == rank || !stand.contains(each.waits) || !met.insert(each.from).second) continue;
    found.push_back(
        {rank, each.from, rank + " has it to run", false, each.waits, each.waits, each.since});
  }
  return found;
}

/// A recording has for whom a rank waits in the end, and the ranks said from whom it gets what that
/// passes on: a circle is one of both, through the programs of tasks that wait.
void mark_cycles_of_both(std::vector<wait_edge>& recorded, std::vector<wait_edge>& told,
                         const std::set<int>& stand) {
  std::vector<wait_edge> own = waits_for_own_tasks(recorded, stand), all = recorded;
  all.insert(all.end(), told.begin(), told.end());
  all.insert(all.end(), own.begin(), own.end());
  mark_cycles(all);
  const auto behind = all.begin() + static_cast<std::ptrdiff_t>(recorded.size());
  const auto last = behind + static_cast<std::ptrdiff_t>(told.size());
  std::move(all.begin(), behind, recorded.begin());
  std::move(behind, last, told.begin());
  std::copy_if(std::move_iterator(last), std::move_iterator(all.end()),
               std::back_inserter(recorded), [](const wait_edge& each) { return each.in_cycle; });
}

/// Before the ranks said so it is the same circle, from when on all of it stand.
void mark_deadlock_to_be(const std::vector<wait_edge>& told, std::int64_t when,
                         std::vector<wait_edge>& into) {
  const auto is_complete = [&](const wait_edge& each) {
    return !each.in_cycle || each.since <= when;
  };
  if (!std::ranges::all_of(told, is_complete)) return;
  for (wait_edge& each : into)
    each.in_cycle |= std::ranges::any_of(told, [&](const wait_edge& later) {
      return later.in_cycle && later.from == each.from && later.to == each.to &&
             later.since == each.since;
    });
}

/// In a deadlock every program waits for ever, and a circle of them is one, whatever they wait for.
/// Who waits for what nobody recorded, as the opening of a gate, told it itself.
void add_deadlock(const model& of, std::int64_t when, std::vector<wait_edge>& into) {
  const std::optional<std::int64_t> since = deadlock_told(of);
  if (!since || (when < *since && into.empty())) return;
  if (when < *since) return mark_deadlock_to_be(wait_graph(of, *since), when, into);
  std::set<int> known;
  for (const wait_edge& each : into) known.insert(each.waits);
  std::vector<wait_edge> told;
  if (std::optional<hang> said = told_hang(of)) told = std::move(said->waits);
  const std::set<int> stand = ranks_that_stand(of);
  std::erase_if(told, [&](const wait_edge& each) { return !stand.contains(each.waits); });
  for (wait_edge each : told) {
    if (known.contains(each.waits)) continue;
    each.since = *since;
    each.because += ", as it said";
    into.push_back(std::move(each));
  }
  mark_cycles_of_both(into, told, stand);
}

/// Of threads without work: data for their next task that have left, and are on their way.
void add_on_the_way(const model& of, std::int64_t when, std::vector<wait_edge>& into) {
  std::set<std::uint32_t> told;  // Several threads may wait for one.
  for (const idle_thread& each : idle_threads(of, when)) {
    const std::uint32_t index = awaited_transfer(of, each, when);
    if (index == none || !told.insert(index).second) continue;
    const transfer& x = of.transfers()[index];
    const bool left = x.start != never && x.on_the_wire() <= when;
    const bool asked_for = x.post_receive != never && x.post_receive <= when;
    if (!left || !asked_for || x.dst != of.tasks()[each.next].rank || x.src == x.dst) continue;
    into.push_back({of.task_name(each.next), rank_name(x.src),
                    version_name(of, x.handle, x.version) + ", on its way since " +
                        say_time(x.on_the_wire()) + say_line(of.received_at(index)),
                    false, x.dst, x.src, std::max(of.begin_of(*each.state), x.post_receive), false,
                    index});
  }
}

/// Data that were asked for and have not left.
std::vector<std::uint32_t> awaited_transfers(const model& of, std::int64_t when) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i) {
    const transfer& x = of.transfers()[i];
    if (x.post_receive == never || x.post_receive > when) continue;
    if (x.done_receive != never && x.done_receive <= when) continue;
    if (x.start == never || x.start > when) found.push_back(i);
  }
  return found;
}

/// Who waits for a datum. A rank stands still for a message that its program asked for; else only
/// a task does.
std::string waits_for(const model& of, const transfer& x) {
  if (x.is_message()) return rank_name(x.dst);
  const std::uint32_t task = of.task_for(x);
  const bool writes_back = task != none && of.tasks()[task].rank != x.dst;
  return task != none && !writes_back ? of.task_name(task)
                                      : of.handle_name(x.handle) + " on " + rank_name(x.dst);
}

}  // namespace

std::vector<wait_edge> wait_graph(const model& of, std::int64_t when) {
  std::vector<wait_edge> edges;
  std::vector<std::size_t> circles;  // Of one version that ranks pass on.
  std::map<std::pair<std::uint32_t, int>, std::uint32_t> earliest;  // Version.
  const std::vector<std::uint32_t> awaited = awaited_transfers(of, when);
  // Who sends on what has not come to it either waits for that itself.
  std::map<std::tuple<std::uint32_t, std::uint32_t, int>, std::uint32_t> waiting;
  for (const std::uint32_t i : awaited)
    if (const transfer& x = of.transfers()[i]; !x.is_message())
      waiting.try_emplace({x.handle, x.version, x.dst}, i);
  const auto brings = [&](const transfer& x) -> const transfer* {
    const auto found = waiting.find({x.handle, x.version, x.src});
    if (found == waiting.end()) return nullptr;
    const transfer& arriving = of.transfers()[found->second];
    // What comes back to the rank later, it does not send.
    return x.post_send != never && arriving.post_receive <= x.post_send ? &arriving : nullptr;
  };
  // Who has it, or should: ranks that pass it on wait themselves. In a circle nobody has: then the
  // rank before.
  const auto comes_from = [&](const transfer& x) -> std::pair<const transfer&, bool> {
    const transfer* first_of_them = &x;
    const transfer* before = brings(x);
    for (int hops = of.ranks(); before != nullptr && hops != 0; --hops) {
      if (before == &x) return {x, true};
      first_of_them = std::exchange(before, brings(*before));
    }
    return {*first_of_them, false};
  };
  for (const std::uint32_t i : awaited) {
    const transfer& x = of.transfers()[i];
    const std::uint32_t writer = of.writer(x.handle, x.version);
    const bool written =
        writer == none || (of.tasks()[writer].end != never && of.tasks()[writer].end <= when);
    const auto [origin, in_circle] =
        x.is_message() ? std::pair<const transfer&, bool>(x, false) : comes_from(x);
    const model::datum_version name =  // As its receiver calls it, who waits.
        of.received_as(i).value_or(model::datum_version{x.handle, x.version});
    const std::string what =
        version_name(of, name.handle, name.version) +
        (x.is_message() ? ", message tag " + std::to_string(of.tag_of(x)) : "") +
        ", asked for at " + say_time(x.post_receive) + say_line(of.received_at(i)) +
        (origin.src == x.src ? "" : ", which " + rank_name(x.src) + " passes on");
    edges.push_back({waits_for(of, x),
                     !written && !x.is_message() ? of.task_name(writer) : rank_name(origin.src),
                     what, false, x.dst, origin.src, x.post_receive, false, i});
    if (in_circle) circles.push_back(edges.size() - 1);
    if (x.is_message()) continue;
    const auto at = earliest.try_emplace({x.handle, x.dst}, x.version).first;
    at->second = std::min(at->second, x.version);
  }
  for (wait_edge& each : edges)
    if (const transfer& x = of.transfers()[each.transfer]; !x.is_message())
      each.later = x.version > earliest.at({x.handle, x.dst});
  mark_cycles(edges);
  for (const std::size_t each : circles) edges[each].in_cycle = true;
  add_late_receivers(of, when, edges);
  add_on_the_way(of, when, edges);
  add_meetings(of, when, edges);
  add_deadlock(of, when, edges);
  add_ends_of_ranks(of, when, edges);
  return edges;
}

namespace {

std::vector<std::vector<std::int64_t>> matrix_of(const model& of, const blame& blamed,
                                                 const run_part& part) {
  const auto ranks = static_cast<std::size_t>(of.ranks());
  std::vector<std::vector<std::int64_t>> matrix(ranks, std::vector<std::int64_t>(ranks));
  std::vector<std::vector<std::uint32_t>> lanes_of(ranks);
  const std::vector<bool> runs_tasks = lanes_of_workers(of);
  for (std::uint32_t lane = 0; lane < of.events().lanes().size(); ++lane)
    if (const auto rank = static_cast<std::size_t>(of.events().lanes()[lane].rank);
        rank < ranks && part.has_rank(static_cast<int>(rank)) && runs_tasks[lane])
      lanes_of[rank].push_back(lane);
  const time_range all = looked_at(of.events(), part.range());
  in_parallel(ranks, [&](std::size_t here) {
    for (const std::uint32_t lane : lanes_of[here])
      for (const state_span& s : of.states_of(lane)) {
        if (std::max(of.begin_of(s), all.from) >= std::min(s.end, all.to)) continue;
        for (const auto& [whom, time, _] : blamed.parts_of(s)) {
          const std::int64_t begin = std::max(time.from, all.from), end = std::min(time.to, all.to);
          const auto there = static_cast<std::size_t>(whom);  // For itself is for no rank.
          if (begin < end && there < ranks && there != here) matrix[here][there] += end - begin;
        }
      }
  });
  return matrix;
}

}  // namespace

std::vector<std::vector<std::int64_t>> wait_matrix(const model& of, const run_part& part) {
  return matrix_of(of, blame(of), part);
}

namespace {

/// How long programs stood in calls of groups of which it is not known who the members are, or
/// whether they had come: recordings of before have no members. Not charged to anybody.
std::int64_t time_in_unknown_groups(const model& of, const run_part& part) {
  const run& r = of.events();
  const time_range all = looked_at(r, part.range());
  std::int64_t sum = 0;
  for (const wait_span& each : of.waits()) {
    if (static_cast<trace::wait_kind>(each.what) != trace::wait_kind::collective) continue;
    if (!part.has_rank(r.lanes()[each.lane].rank) || of.met().knows(each.event)) continue;
    const event begin = r.events()[each.event];
    if (trace::collective_call::of(r.get(begin, field::id)).group == 0) continue;
    const std::int64_t end = each.ended ? each.end : r.end();
    sum += std::max<std::int64_t>(0, std::min(end, all.to) - std::max(each.begin, all.from));
  }
  return sum;
}

/// Of a slice: programs that stand in a call of which it does not know who has come.
std::vector<std::string> say_unknown_calls(const model& of) {
  constexpr std::size_t few = 8;
  std::vector<std::string> said;
  if (!sliced_to(of.events())) return said;
  for (const wait_span& each : of.waits())
    if (static_cast<trace::wait_kind>(each.what) == trace::wait_kind::collective && !each.ended &&
        !of.met().knows(each.event) && said.size() < few)
      said.push_back(rank_name(of.events().lanes()[each.lane].rank) + " stands in `" +
                     wait_name(of, of.events().events()[each.event]) + "` since " +
                     say_time(each.begin) + ": for whom is not known of a slice");
  return said;
}

/// Ranks stand for several, which may have come later: of a slice, or of a run that was killed.
bool ends_before_meetings(const model& of) {
  return !ended_in_deadlock(of) &&
         std::ranges::any_of(of.met().unfinished(), [](const unfinished_meeting& each) {
           return each.missing.size() > 1;
         });
}

/// What nobody waits for: tasks that never ran, because of one that threw. Empty: there are none.
std::string say_cancelled(const model& of, const run_part& part) {
  std::uint64_t count = 0, threw = 0;
  std::uint32_t first = none, cause = none;
  const auto take = [&](std::uint32_t& earliest, std::uint32_t task) {
    if (earliest == none || of.tasks()[task].end < of.tasks()[earliest].end) earliest = task;
  };
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    const task& t = of.tasks()[i];
    if (t.threw()) ++threw, take(cause, i);
    if (t.was_cancelled() && part.has_task(of, i)) ++count, take(first, i);
  }
  if (count == 0) return {};
  std::string text = say_some(count, "task") + " never ran, since what " +
                     (count == 1 ? "it needs" : "they need") + " was not written";
  if (cause != none)
    text += ": " + of.task_on_rank(cause) + " threw at " + say_time(of.tasks()[cause].end) +
            (threw > 1 ? ", and " + say_count(threw - 1) + " more did" : "");
  return text + "; " + (count == 1 ? "it is " : "the first is ") + of.task_on_rank(first) +
         ", given up at " + say_time(of.tasks()[first].end);
}

/// `when`: the moment, "at 12.3 ms".
void say_graph(const model& of, const std::vector<wait_edge>& edges, std::int64_t moment,
               const std::string& when, answer& into) {
  const auto cycle =
      std::count_if(edges.begin(), edges.end(), [](const auto& e) { return e.in_cycle; });
  into.findings |= cycle != 0;
  if (const auto missing = not_recorded(of, {"xfer", "wait"})) {
    into.sentences.push_back("who waits for whom " + when + ": " + missing->sentences.front());
    if (edges.empty()) return;
  } else if (edges.empty() && ended_in_deadlock(of) && !ranks_that_stand(of).empty()) {
    into.sentences.push_back("who waits for whom " + when +
                             " is not recorded: the run ended in a deadlock");
    return;
  } else if (edges.empty()) {
    // For whom a rank stands at a barrier is not known where one is absent.
    const bool unknown =
        sliced_to(of.events()) || !std::ranges::all_of(of.events().ranks(), &rank_info::present);
    into.sentences.push_back((unknown ? "nobody is known to wait" : "nobody waits") +
                             std::string(" for data that has not left, or for another rank, ") +
                             when);
    return;
  }
  into.sentences.push_back(say_some(edges.size(), "wait") + " " + when +
                           (cycle == 0 ? ""
                                       : "; " + say_count(static_cast<std::uint64_t>(cycle)) +
                                             " of them in a circle: a deadlock"));
  into.tables.push_back(say_ranks(of, edges, moment));
  std::vector<wait_edge> first;  // Of each datum.
  for (const wait_edge& each : edges)
    if (!each.later || each.in_cycle) first.push_back(each);
  const std::uint64_t later = edges.size() - first.size();
  if (later != 0)
    into.sentences.push_back(
        say_count(later) +
        (later == 1 ? " of them is for a later version" : " of them are for later versions") +
        " of the same data");
  into.tables.push_back(say_edges(first));
}

/// In which phases programs were at a moment; in a deadlock, where they stand.
void say_phases_of(const model& of, std::int64_t moment, answer& into) {
  const std::optional<std::int64_t> told = deadlock_told(of);
  const std::string phases = say_phases_at(of, told ? std::min(moment, *told) : moment);
  if (!phases.empty()) into.sentences.push_back("phase then: " + phases);
}

/// `said_states`: threads said when they waited.
void say_matrix(const std::vector<std::vector<std::int64_t>>& matrix, bool said_states,
                answer& into) {
  table blame{"time waited: rows wait, columns are waited for", {"rank"}, {}};
  for (std::size_t c = 0; c < matrix.size(); ++c) blame.columns.push_back(std::to_string(c));
  bool any = false;
  for (std::size_t r = 0; r < matrix.size(); ++r) {
    std::vector<cell> row{std::to_string(r)};
    for (const std::int64_t each : matrix[r]) {
      row.push_back(each == 0 ? "-" : say_time(each));
      any |= each != 0;
    }
    blame.rows.push_back(std::move(row));
  }
  if (any) {
    into.tables.insert(into.tables.begin(), std::move(blame));
    into.sentences.emplace_back(
        "time waited: fetch wait, idle, barrier, borrow, collective call and request wait, "
        "as in `breakdown`, of the threads that run tasks, where another rank is known to be the "
        "cause");
  } else {
    into.sentences.push_back(std::string("time waited for other ranks: ") +
                             (said_states ? "none is known" : "not recorded"));
  }
}

}  // namespace

answer waits(const model& of, std::optional<std::int64_t> at, const run_part& part) {
  if (auto missing = not_known_in(of, at ? time_range{*at, *at} : part.range()))
    return std::move(*missing);
  std::vector<wait_edge> edges;
  std::vector<late_task> late;
  std::optional<blame> blamed;
  std::vector<std::vector<std::int64_t>> matrix;
  const std::int64_t end = looked_at(of.events(), part.range()).to;
  const std::int64_t moment = at.value_or(end);
  const std::string when = at                        ? "at " + say_time(*at)
                           : end < of.events().end() ? "at the end of the range, " + say_time(end)
                           : sliced_to(of.events())  ? "at the end of the slice, " + say_time(end)
                                                     : "at the end of the trace";
  // The longest first.
  const std::array<std::function<void()>, 3> parts{
      [&] {
        blamed.emplace(of);
        if (!at) matrix = matrix_of(of, *blamed, part);
      },
      [&] {
        if (!at) late = late_tasks(of, part);
      },
      [&] { edges = wait_graph(of, moment); },
  };
  in_parallel(parts.size(), [&](std::size_t i) { parts[i](); });

  answer said;
  said.findings = !of.failures().empty() || !of.stops().empty();  // It did not end well.
  for (std::string& each : caveats(of)) said.sentences.push_back(std::move(each));
  if (std::string own = say_guarded(of); !own.empty()) said.sentences.push_back(std::move(own));
  const std::vector<silent_rank> silent = silent_ranks(of);
  if (!at)
    for (left_out_call& each : left_out_calls(of))
      said.sentences.push_back(std::move(each.sentence));
  say_graph(of, edges, moment, when, said);
  say_phases_of(of, moment, said);
  // Whether somebody waited for one that was killed is a matter of the moment.
  said.findings |= std::ranges::any_of(of.events().ranks(), &rank_info::is_cut);
  said.findings |= !silent.empty() && !said.tables.empty();
  if (at || end < of.events().end())  // At the end of a run they have none, or stand as above.
    if (table idle = say_idle_threads(of, *blamed, moment, part); !idle.rows.empty())
      said.tables.push_back(std::move(idle));
  if (at) return said;
  if (std::string gone = say_cancelled(of, part); !gone.empty())
    said.sentences.push_back(std::move(gone));
  if (const std::string left = hang_of_run(of.events().path()); !left.empty()) {
    std::set<int> waiting;
    for (const wait_edge& each : edges) waiting.insert(each.waits);
    hang told = read_hang(left);
    // Before the ranks said so, a wait of that moment and one that they told of are no circle.
    if (const auto since = deadlock_told(of); since && moment >= *since)
      mark_cycles_of_both(edges, told.waits, {});
    answer report = say_hang(told, waiting);
    for (std::string& each : report.sentences) said.sentences.push_back(std::move(each));
    for (table& each : report.tables) {
      each.title += ", as the ranks said";
      said.tables.push_back(std::move(each));
    }
    said.findings = true;
  }
  if (!late.empty()) said.tables.push_back(say_late(of, std::move(late)));
  say_matrix(matrix, !of.states().empty(), said);
  if (const std::int64_t time = time_in_unknown_groups(of, part); time != 0)
    said.sentences.push_back("programs stood " + say_time(time) +
                             " in calls of groups, of whom is not known");
  for (std::string& each : say_unknown_calls(of)) said.sentences.push_back(std::move(each));
  if (ends_before_meetings(of))
    said.sentences.push_back("ranks stand for several that have not come when the " +
                             std::string(sliced_to(of.events()) ? "slice" : "recording") +
                             " ends: who of them comes last is not known, and the time is not that "
                             "of any");
  return said;
}

}  // namespace deed::viewer
