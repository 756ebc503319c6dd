// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>

namespace deed::viewer {
namespace {

std::string percent(std::int64_t part, std::int64_t whole) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%",
                whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text.data();
}

}  // namespace

time_shares shares(const model& of, const run_part& part) {
  const run& r = of.events();
  const time_range all = part.range().value_or(time_range{0, r.end()});
  const auto inside = [&](std::int64_t begin, std::int64_t end) {
    return std::max<std::int64_t>(0, std::min(end, all.to) - std::max(begin, all.from));
  };
  constexpr std::uint32_t worker = 1, application = 2;
  std::map<std::uint32_t, std::map<std::string, std::int64_t>> by_lane;
  std::map<std::string, std::int64_t> sums;
  const auto add = [&](std::uint32_t lane, const std::string& what, std::int64_t time) {
    if (time <= 0 || !by_lane.contains(lane)) return;
    by_lane[lane][what] += time;
    sums[what] += time;
  };
  const auto is_worker = [&](const lane& each) {
    return each.kind == worker && part.has_rank(each.rank);
  };
  for (std::uint32_t lane = 0; lane < r.lanes().size(); ++lane)
    if (is_worker(r.lanes()[lane])) by_lane[lane];
  // A rank without workers runs its tasks in the program's thread, also if it had none to run.
  for (std::uint32_t at = 0; at < r.lanes().size(); ++at) {
    const bool has_workers = std::any_of(r.lanes().begin(), r.lanes().end(), [&](const lane& each) {
      return is_worker(each) && each.rank == r.lanes()[at].rank;
    });
    if (r.lanes()[at].kind == application && !has_workers && part.has_rank(r.lanes()[at].rank))
      by_lane[at];
  }
  // The program's thread is a worker where it runs tasks: while it waits.
  std::map<std::uint32_t, std::int64_t> waited;
  for (const task& t : of.tasks())
    if (t.begin != never && t.lane < r.lanes().size() && r.lanes()[t.lane].kind == application &&
        part.has_rank(t.rank)) {
      by_lane[t.lane];
      const auto after = std::upper_bound(
          of.waits().begin(), of.waits().end(), std::pair{t.lane, t.begin},
          [](const auto& at, const wait_span& w) { return at < std::pair{w.lane, w.begin}; });
      const bool inside_a_wait = after != of.waits().begin() && std::prev(after)->lane == t.lane &&
                                 std::prev(after)->end >= t.begin;
      if (!inside_a_wait) waited[t.lane] += inside(t.begin, t.end == never ? r.end() : t.end);
    }
  std::int64_t until = 0;
  std::uint32_t of_lane = none;
  for (const wait_span& w : of.waits()) {  // Waits may lie in each other.
    if (std::exchange(of_lane, w.lane) != w.lane) until = 0;
    waited[w.lane] += inside(std::max(w.begin, until), std::max(w.end, until));
    until = std::max(until, w.end);
  }
  for (const task& t : of.tasks()) {
    if (t.begin == never) continue;
    add(t.lane, t.codelet < of.codelets().size() ? of.codelets()[t.codelet].name : "task",
        inside(t.begin, t.end == never ? r.end() : t.end));
  }
  for (const state_span& s : of.states()) add(s.lane, state_name(s.state), inside(s.begin, s.end));
  const std::int64_t wall = std::max<std::int64_t>(0, all.to - all.from);
  std::map<int, std::int64_t> before;  // By rank: the time until its first record.
  for (const rank_info& each : r.ranks())
    if (each.present && each.events != 0) before[each.rank] = inside(0, each.first);
  for (const auto& [lane, time] : waited)
    add(lane, "program", wall - time - before[r.lanes()[lane].rank]);
  for (auto& [lane, parts] : by_lane) {
    add(lane, "not started yet", before[r.lanes()[lane].rank]);
    std::int64_t known = 0;
    for (const auto& [what, time] : parts) known += time;
    add(lane, "not recorded", wall - known);
  }

  time_shares found{wall, {sums.begin(), sums.end()}, {}};
  std::stable_sort(found.sums.begin(), found.sums.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (auto& [lane, parts] : by_lane) {
    worker_time& mine = found.workers.emplace_back(worker_time{lane, {}});
    for (const auto& [what, time] : found.sums) mine.parts.emplace_back(what, parts[what]);
  }
  return found;
}

answer breakdown(const model& of, const run_part& part) {
  const time_shares found = shares(of, part);
  const std::int64_t total = found.wall * static_cast<std::int64_t>(found.workers.size());
  answer said;
  said.sentences.push_back(say_some(found.workers.size(), "worker") + " x " + say_time(found.wall) +
                           " = " + say_time(total));
  table whole{"all workers", {"what", "time", "share"}, {}};
  table rows{"per worker", {"worker"}, {}};
  for (const auto& [what, time] : found.sums) {
    whole.rows.push_back({what, say_time(time), percent(time, total)});
    rows.columns.push_back(what);
  }
  for (const worker_time& each : found.workers) {
    std::vector<std::string> row{say_lane(of.events(), each.lane)};
    for (const auto& [what, time] : each.parts) row.push_back(percent(time, found.wall));
    rows.rows.push_back(std::move(row));
  }
  said.tables = {std::move(whole), std::move(rows)};
  return said;
}

}  // namespace deed::viewer
