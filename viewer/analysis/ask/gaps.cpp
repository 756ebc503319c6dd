// SPDX-License-Identifier: MIT
#include "analysis/ask/gaps.hpp"

#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/device_work.hpp"
#include "analysis/ask/last_cause.hpp"
#include "analysis/ask/program_stays.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

/// What a thread said that it did.
struct told {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint16_t kind = 0;  // `name_of_state` has the words.
};
constexpr std::uint16_t not_started_yet = 0xffff;  // But for this one.

const rank_info* about_rank(const run& of, int rank) {
  const auto found = std::ranges::find_if(of.ranks(), [&](const rank_info& each) {
    return each.rank == rank && each.present && each.events != 0;
  });
  return found == of.ranks().end() ? nullptr : &*found;
}

/// In order, with the time before it said anything; `stays` are those of its program.
std::vector<told> told_by(const model& of, std::uint32_t lane,
                          std::span<const program_stay> stays) {
  std::vector<told> said;
  const rank_info* const here = about_rank(of.events(), of.events().lanes()[lane].rank);
  if (here != nullptr && here->first > 0) said.push_back({0, here->first, not_started_yet});
  if (const auto waking = not_started(of, lane))
    said.push_back({waking->from, waking->to, not_started_yet});
  for (const state_span& each : of.states_of(lane))
    cut_by_stays(each, {of.begin_of(each), each.end}, stays,
                 [&](std::int64_t begin, std::int64_t end, const program_stay* stay) {
                   said.push_back({begin, end, kind_of_state(each, stay)});
                 });
  return said;
}

/// What a thread said most of a gap that it did, and the share of that.
std::string most_of(const gap& g, const std::vector<told>& said) {
  std::map<std::uint16_t, std::int64_t> times;
  auto each = std::ranges::upper_bound(said, g.begin, {}, &told::end);
  for (; each != said.end() && each->begin < g.end; ++each)
    times[each->kind] +=
        std::max<std::int64_t>(0, std::min(each->end, g.end) - std::max(each->begin, g.begin));
  const auto most = std::ranges::max_element(times, {}, [](const auto& x) { return x.second; });
  if (most == times.end() || most->second == 0) return "not recorded";
  const std::string what =
      most->first == not_started_yet ? "not started yet" : name_of_state(most->first);
  return what + ", " + say_share(most->second, g.end - g.begin);
}

}  // namespace

std::vector<gap> longest_gaps(const model& of, std::size_t most, const run_part& part) {
  const run& r = of.events();
  const time_range all = looked_at(r, part.range());
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    const task& t = of.tasks()[i];
    if (t.begin != never && t.lane < r.lanes().size() && part.has_rank(t.rank) &&
        !is_on_device(r, t.lane))
      order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::uint32_t each) {
    return std::pair{of.tasks()[each].lane, of.tasks()[each].begin};
  });
  std::vector<gap> found;
  const auto add = [&](std::uint32_t lane, std::int64_t begin, std::int64_t end,
                       std::uint32_t next) {
    begin = std::max(begin, all.from);
    end = std::min(end, all.to);
    if (begin < end) found.push_back({lane, begin, end, next});
  };
  for (std::size_t i = 0; i < order.size();) {
    const std::uint32_t lane = of.tasks()[order[i]].lane;
    std::int64_t free_since = 0;
    for (; i < order.size() && of.tasks()[order[i]].lane == lane; ++i) {
      add(lane, free_since, of.tasks()[order[i]].begin, order[i]);
      free_since = std::max(free_since, of.end_of(of.tasks()[order[i]]));
    }
    add(lane, free_since, of.lane_known_until(lane), none);
  }
  std::vector<bool> ran(r.lanes().size());
  for (const std::uint32_t each : order) ran[of.tasks()[each].lane] = true;
  for (std::uint32_t lane = 0; lane < ran.size(); ++lane)
    if (!ran[lane] && r.lanes()[lane].is_worker() && part.has_rank(r.lanes()[lane].rank))
      add(lane, 0, of.lane_known_until(lane), none);
  const auto length = [](const gap& g) { return g.end - g.begin; };
  const std::size_t kept = std::min(most, found.size());
  std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(kept),
                            std::ranges::greater{}, length);
  found.resize(kept);
  return found;
}

namespace {

/// What a thread did behind its last task.
const char* say_nothing_next(const run& of, std::uint32_t lane) {
  const auto goes_on = [&](const rank_info& each) {
    return each.rank == of.lanes()[lane].rank && each.goes_on;
  };
  return std::ranges::any_of(of.ranks(), goes_on) ? "not in the slice" : "nothing more";
}

}  // namespace

table say_gaps(const model& of, std::size_t most, const run_part& part) {
  table rows{"longest times without a task",
             {"worker", "from", "to", "time", "meanwhile", "then ran", "which waited for", "until"},
             {}};
  const std::vector<gap> gaps = longest_gaps(of, most, part);
  const std::vector<std::vector<program_stay>> stays = stays_of_programs(of);
  std::map<std::uint32_t, std::vector<told>> said;  // By lane.
  for (const gap& each : gaps)
    if (const auto [mine, added] = said.try_emplace(each.lane); added)
      mine->second = told_by(of, each.lane, stays_beside(of, stays, each.lane));
  for (const gap& each : gaps) {
    const cause why = each.next == none ? cause{} : last_cause(of, of.tasks()[each.next]);
    const bool late = why.at > each.begin;  // What came before the gap is no reason for it.
    rows.rows.push_back(
        {say_lane(of.events(), each.lane), say_time(each.begin), say_time(each.end),
         say_time(each.end - each.begin), most_of(each, said.at(each.lane)),
         each.next == none ? say_nothing_next(of.events(), each.lane) : of.task_name(each.next),
         late ? say_cause(of, why) : "-", late ? say_time(why.at) : cell("-")});
    rows.links.push_back(each.next == none ? "" : "task:" + std::to_string(each.next));
  }
  return rows;
}

}  // namespace deed::viewer
