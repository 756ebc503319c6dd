// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/device_work.hpp"
#include "analysis/ask/grouped_shares.hpp"
#include "analysis/ask/joined_times.hpp"
#include "analysis/ask/program_calls.hpp"
#include "analysis/ask/program_stays.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/read/merge.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace deed::viewer {
namespace {

/// The time in at least one of them.
std::int64_t covered(std::vector<time_range> spans) {
  std::int64_t sum = 0;
  for (const time_range& each : joined(std::move(spans))) sum += each.to - each.from;
  return sum;
}

/// Without `wait` in DEED_TRACE_EVENTS, nobody says when the program was at work.
bool has_waits(const model& of, std::uint32_t lane) {
  const auto first = std::ranges::lower_bound(of.waits(), lane, {}, &wait_span::lane);
  return first != of.waits().end() && first->lane == lane;
}

/// Of one thread, by number: to look for a name takes longer than the rest.
struct lane_times {
  explicit lane_times(std::size_t codelets_known) : codelets(codelets_known + 1) {}
  std::vector<std::int64_t> codelets;  // The last is of tasks without one.
  std::array<std::int64_t, 256> states{};
  std::array<std::int64_t, 256> stays{};  // Without a task, while the program stood there.
};

}  // namespace

time_shares shares(const model& of, const run_part& part) {
  const run& r = of.events();
  const time_range all = looked_at(r, part.range());
  const auto inside = [&](std::int64_t begin, std::int64_t end) {
    return std::max<std::int64_t>(0, std::min(end, all.to) - std::max(begin, all.from));
  };
  std::map<std::uint32_t, std::map<std::string, std::int64_t>> by_lane;
  std::map<std::string, std::int64_t> sums;
  const auto add = [&](std::uint32_t lane, const std::string& what, std::int64_t time) {
    if (time <= 0 || !by_lane.contains(lane)) return;
    by_lane[lane][what] += time;
    sums[what] += time;
  };
  const std::vector<bool> runs_tasks = lanes_of_workers(of);
  for (std::uint32_t lane = 0; lane < r.lanes().size(); ++lane)
    if (runs_tasks[lane] && part.has_rank(r.lanes()[lane].rank)) by_lane[lane];
  using spans_told = std::vector<std::vector<time_range>>;
  // Of programs: when they were not at work. By lane.
  spans_told told(r.lanes().size()), told_by_tasks(r.lanes().size());
  const auto tell = [&](spans_told& to, std::uint32_t lane, std::int64_t begin, std::int64_t end) {
    if (begin >= all.to || end <= all.from || lane >= r.lanes().size()) return;
    if (r.lanes()[lane].is_program() && by_lane.contains(lane))
      to[lane].push_back({std::max(begin, all.from), std::min(end, all.to)});
  };
  std::vector<lane_times> times(r.lanes().size(), lane_times(of.codelets().size()));
  const std::vector<std::vector<program_stay>> stays = stays_of_programs(of);
  const auto stays_of = [&](std::uint32_t lane) { return stays_beside(of, stays, lane); };
  const auto add_tasks = [&] {
    for (const task& t : of.tasks()) {
      if (t.begin == never || t.lane >= times.size()) continue;
      times[t.lane].codelets[std::min<std::size_t>(t.codelet, of.codelets().size())] +=
          inside(t.begin, of.end_of(t));
      tell(told_by_tasks, t.lane, t.begin, of.end_of(t));
    }
  };
  const auto add_states = [&](std::uint32_t lane) {
    for (const state_span& s : of.states_of(lane)) {
      const std::int64_t begin = of.begin_of(s);
      tell(told, s.lane, begin, s.end);
      if (inside(begin, s.end) != 0)
        cut_by_stays(s, {std::max(begin, all.from), std::min(s.end, all.to)}, stays_of(s.lane),
                     [&](std::int64_t from, std::int64_t to, const program_stay* stay) {
                       lane_times& mine = times[s.lane];
                       (stay == nullptr ? mine.states[s.state] : mine.stays[stay->what]) +=
                           to - from;
                     });
    }
  };
  // The states of a lane are of one thread alone, and all tasks of another: they count apart.
  in_parallel(1 + r.lanes().size(), [&](std::size_t i) {
    i == 0 ? add_tasks() : add_states(static_cast<std::uint32_t>(i - 1));
  });
  for (std::size_t lane = 0; lane < told.size(); ++lane)
    told[lane].insert(told[lane].end(), told_by_tasks[lane].begin(), told_by_tasks[lane].end());
  for (std::uint32_t at = 0; at < times.size(); ++at) {
    for (std::size_t c = 0; c < times[at].codelets.size(); ++c)
      add(at, c < of.codelets().size() ? of.codelets()[c].name : "task", times[at].codelets[c]);
    for (std::size_t state = 0; state < times[at].states.size(); ++state)
      add(at, state_name(static_cast<std::uint8_t>(state)), times[at].states[state]);
    for (std::size_t what = 0; what < times[at].stays.size(); ++what)
      if (times[at].stays[what] != 0)
        add(at, name_of_stay(static_cast<std::uint8_t>(what)), times[at].stays[what]);
  }
  for (const auto& [lane, _] : by_lane) {
    if (!r.lanes()[lane].is_program()) continue;
    std::map<std::uint8_t, std::vector<program_stay>> silent;  // What stands still may say no more.
    for (const program_stay& each : stays_of(lane)) silent[each.what].push_back(each);
    for (const auto& [what, spans] : silent) {
      const std::int64_t before = covered(told[lane]);
      for (const program_stay& each : spans) tell(told, lane, each.time.from, each.time.to);
      add(lane, name_of_stay(what), covered(told[lane]) - before);
    }
    const std::int64_t elsewhere = covered(told[lane]);
    for (const wait_span& each : std::ranges::equal_range(of.waits(), lane, {}, &wait_span::lane))
      tell(told, lane, each.begin, std::min(each.end, of.lane_known_until(lane)));
    add(lane, "wait", covered(told[lane]) - elsewhere);
  }
  const std::int64_t wall = std::max<std::int64_t>(0, all.to - all.from);
  std::map<int, const rank_info*> about;
  for (const rank_info& each : r.ranks())
    if (each.present && each.events != 0) about[each.rank] = &each;
  for (auto& [lane, parts] : by_lane) {
    const int rank = r.lanes()[lane].rank;
    const auto here = about.find(rank);
    const std::int64_t known_until = of.lane_known_until(lane);
    const std::int64_t before = here == about.end() ? 0 : inside(0, here->second->first),
                       after = known_until < r.end() ? inside(known_until, all.to) : 0;
    if (r.lanes()[lane].is_program() && has_waits(of, lane))
      add(lane, "program", wall - covered(told[lane]) - before - after);
    const auto waking = not_started(of, lane);
    add(lane, "not started yet", before + (waking ? inside(waking->from, waking->to) : 0));
    add(lane, "after its last record", after);
    std::int64_t known = 0;
    for (const auto& [what, time] : parts) known += time;
    add(lane, "not recorded", wall - known);
  }

  for (const worker_time& each : time_of_devices(of, part)) {
    by_lane[each.lane];
    for (const auto& [what, time] : each.parts) add(each.lane, what, time);
  }

  time_shares found{wall, {sums.begin(), sums.end()}, {}};
  std::stable_sort(found.sums.begin(), found.sums.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (auto& [lane, parts] : by_lane) {
    worker_time& mine = found.workers.emplace_back(worker_time{lane, {}});
    for (const auto& [what, time] : found.sums) mine.parts.emplace_back(what, parts[what]);
  }
  std::ranges::stable_sort(found.workers, {}, [&](const worker_time& each) {
    return std::pair(r.lanes()[each.lane].rank, is_on_device(r, each.lane));
  });
  return found;
}

namespace {

using times_of_ranks = std::map<int, std::vector<time_range>>;

/// When programs that say when they wait were in no wait, as long as they are known to go on.
times_of_ranks programs_at_work(const model& of, const run_part& part) {
  const run& r = of.events();
  times_of_ranks waits, at_work;
  for (const wait_span& each : of.waits())
    if (const lane& where = r.lanes()[each.lane]; where.is_program())
      waits[where.rank].push_back({each.begin, end_of_wait(of, each)});
  const time_range all = looked_at(r, part.range());
  for (const rank_info& each : r.ranks()) {
    const auto mine = waits.find(each.rank);
    if (mine == waits.end() || !part.has_rank(each.rank)) continue;
    std::vector<time_range>& works = at_work[each.rank];
    std::int64_t from = std::max(all.from, each.first);
    const std::int64_t to = std::min(all.to, each.last);
    for (const time_range& wait : joined(std::move(mine->second))) {
      if (from < std::min(wait.from, to)) works.push_back({from, std::min(wait.from, to)});
      from = std::max(from, wait.to);
    }
    if (from < to) works.push_back({from, to});
  }
  return at_work;
}

/// When workers had no task while the program of their rank was at work: it computed by itself, or
/// was slow to insert tasks. Of each thread.
times_of_ranks idle_beside_programs_at_work(const model& of, const run_part& part) {
  const times_of_ranks at_work = programs_at_work(of, part);
  const time_range all = looked_at(of.events(), part.range());
  times_of_ranks found;
  for (const state_span& s : of.states()) {
    const lane& where = of.events().lanes()[s.lane];
    const auto mine = at_work.find(where.rank);
    if (!s.is(trace::worker_state::idle_no_task) || !where.is_worker() || mine == at_work.end())
      continue;
    const std::int64_t begin = std::max(of.begin_of(s), all.from), end = std::min(s.end, all.to);
    for (auto each = std::ranges::upper_bound(mine->second, begin, {}, &time_range::to);
         each != mine->second.end() && each->from < end; ++each)
      found[where.rank].push_back({std::max(each->from, begin), std::min(each->to, end)});
  }
  return found;
}

std::int64_t sum_of(const times_of_ranks& of) {
  std::int64_t sum = 0;
  for (const auto& [_, times] : of)
    for (const time_range& each : times) sum += each.to - each.from;
  return sum;
}

/// Of programs that run tasks themselves, as they have no workers: what they are at work is a part
/// of the whole.
void add_programs_that_run_tasks(const model& of, const run_part& part, times_of_ranks& into) {
  const std::vector<bool> runs_tasks = lanes_of_workers(of);
  times_of_ranks at_work = programs_at_work(of, part);
  for (std::uint32_t i = 0; i < of.events().lanes().size(); ++i) {
    const lane& each = of.events().lanes()[i];
    if (!each.is_program() || !runs_tasks[i]) continue;
    std::vector<time_range>& mine = into[each.rank];
    mine.insert(mine.end(), at_work[each.rank].begin(), at_work[each.rank].end());
  }
}

/// Where the lines of programs say it.
void say_own_work(const model& of, const times_of_ranks& when, answer& into) {
  constexpr std::size_t few = 10;
  const std::int64_t all = sum_of(when);
  if (all == 0) return;
  const program_calls calls(of);
  auto parts = calls.between(when);
  std::erase_if(parts, [&](const time_between_calls& each) { return each.time < all / 100; });
  if (!parts.empty())
    into.tables.push_back(calls.say_all("programs at work while a thread had no task", parts, few));
}

}  // namespace

std::vector<group_time> grouped(const model& of, const time_shares& all, shares_per per) {
  const run& r = of.events();
  std::map<int, std::string> hosts;
  for (const rank_info& each : r.ranks()) hosts[each.rank] = each.host;
  const auto name_of_group = [&](std::uint32_t lane) -> std::string {
    const int rank = r.lanes()[lane].rank;
    if (per == shares_per::worker) return say_lane(r, lane);
    return per == shares_per::rank ? "rank " + std::to_string(rank) : hosts[rank];
  };
  std::vector<group_time> groups;
  std::map<std::string, std::size_t> places;
  for (const worker_time& each : all.workers) {
    const std::string name = name_of_group(each.lane);
    const auto [place, is_new] = places.try_emplace(name, groups.size());
    if (is_new) groups.push_back({name, 0, {}});
    group_time& mine = groups[place->second];
    ++mine.members;
    mine.parts.resize(each.parts.size());
    for (std::size_t i = 0; i < each.parts.size(); ++i) {
      mine.parts[i].first = each.parts[i].first;
      mine.parts[i].second += each.parts[i].second;
    }
  }
  return groups;
}

answer breakdown(const model& of, const run_part& part, shares_per per) {
  if (auto missing = not_recorded(of, {"task"})) return std::move(*missing);
  if (auto missing = not_known_in(of, part.range())) return std::move(*missing);
  const time_shares found = shares(of, part);
  const std::int64_t total = found.wall * static_cast<std::int64_t>(found.workers.size());
  answer said;
  said.sentences = caveats(of);
  said.sentences.push_back(say_workers(of.events(), found) + " x " + say_time(found.wall) + " = " +
                           say_time(total));
  times_of_ranks at_work = idle_beside_programs_at_work(of, part);
  if (const std::int64_t beside = sum_of(at_work); beside != 0)
    said.sentences.push_back("idle, no task: " + say_time(beside) +
                             " of it while the program of the rank was in no wait, but computed by "
                             "itself or inserted tasks");
  if (std::string none_there = say_no_time_on_devices(of); !none_there.empty())
    said.sentences.push_back(std::move(none_there));
  const bool devices = has_devices(of.events());
  table whole{devices ? "all workers and devices" : "all workers", {"what", "time", "share"}, {}};
  constexpr std::array<const char*, 3> names{"worker", "rank", "host"};
  const std::string group = names[static_cast<std::size_t>(per)];
  const bool has_rows_of_devices = devices && per == shares_per::worker;
  table rows{"per " + group + (has_rows_of_devices ? " and device" : ""), {group}, {}};
  for (const auto& [what, time] : found.sums) {
    whole.rows.push_back({what, say_time(time), say_share(time, total)});
    rows.columns.push_back(what);
  }
  for (const group_time& each : grouped(of, found, per)) {
    std::int64_t sum = 0;
    for (const auto& [what, time] : each.parts) sum += time;
    std::vector<cell> row{each.name};
    for (const auto& [what, time] : each.parts) row.push_back(say_share(time, sum));
    rows.rows.push_back(std::move(row));
  }
  said.tables = {std::move(whole), std::move(rows)};
  add_programs_that_run_tasks(of, part, at_work);
  say_own_work(of, at_work, said);
  return said;
}

}  // namespace deed::viewer
