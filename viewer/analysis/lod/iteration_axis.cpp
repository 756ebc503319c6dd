// SPDX-License-Identifier: MIT
#include "analysis/lod/iteration_axis.hpp"

#include "analysis/read/merge.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

namespace deed::viewer {
namespace {

std::string name_of(const model& of, const phase_span& phase) {
  const run& r = of.events();
  const event e = r.events()[phase.event];
  return of.text(r.rank_of(e), r.get32(e, field::name));
}

std::int64_t index_of(const model& of, const phase_span& phase) {
  return static_cast<std::int64_t>(
      of.events().get(of.events().events()[phase.event], field::index));
}

bool is_of_program(const model& of, const phase_span& phase) {
  return of.events().lanes()[phase.lane].is_program();
}

/// Empty: the program numbers none.
std::string name_of_iterations(const model& of) {
  struct seen {
    std::uint32_t depth = none;
    std::size_t count = 0;
    std::set<std::int64_t> numbers;
  };
  std::map<std::string, seen> names;
  for (const phase_span& each : of.phases()) {
    if (!is_of_program(of, each)) continue;
    seen& mine = names[name_of(of, each)];
    mine.depth = std::min(mine.depth, each.depth);
    mine.numbers.insert(index_of(of, each));
    ++mine.count;
  }
  std::pair<std::string, seen> best;
  for (const auto& [name, mine] : names)
    if (mine.numbers.size() > 1 &&
        (mine.depth < best.second.depth ||
         (mine.depth == best.second.depth && mine.count > best.second.count)))
      best = {name, mine};
  return best.first;
}

/// The number that the program gave it, and how often its rank had given that before.
using iteration_key = std::pair<std::int64_t, int>;

struct on_rank {
  int rank = 0;
  std::int64_t begin = 0, end = 0;
};

std::map<iteration_key, std::vector<on_rank>> iterations_called(const std::string& name,
                                                                const model& of) {
  std::map<iteration_key, std::vector<on_rank>> found;
  std::map<int, std::uint32_t> threads;  // Of each rank one: others are beside it.
  std::map<std::pair<int, std::int64_t>, int> before;
  for (const phase_span& each : of.phases()) {
    const int rank = of.events().lanes()[each.lane].rank;
    if (!is_of_program(of, each) || name_of(of, each) != name ||
        threads.try_emplace(rank, each.lane).first->second != each.lane)
      continue;
    const std::int64_t index = index_of(of, each);
    found[{index, before[{rank, index}]++}].push_back({rank, each.begin, each.end});
  }
  return found;
}

std::int64_t mean(const std::vector<on_rank>& of, std::int64_t on_rank::* time) {
  std::int64_t sum = 0;
  for (const on_rank& each : of) sum += each.*time;
  return sum / std::ssize(of);
}

std::int64_t begin_of(const run& r) {
  std::int64_t from = r.end();
  for (const rank_info& each : r.ranks())
    if (each.present) from = std::min(from, each.from);
  return from;
}

/// Straight between two knots; before and behind all of them as far from the next one.
template <class Knot>
std::int64_t follow(const std::vector<Knot>& knots, std::int64_t at, std::int64_t Knot::* from,
                    std::int64_t Knot::* to) {
  const auto next = std::ranges::upper_bound(knots, at, {}, from);
  const Knot& low = next == knots.begin() ? *next : next[-1];
  if (next == knots.begin() || next == knots.end()) return at - low.*from + low.*to;
  const double part =
      static_cast<double>(at - low.*from) / static_cast<double>((*next).*from - low.*from);
  return low.*to + std::llround(part * static_cast<double>((*next).*to - low.*to));
}

}  // namespace

iteration_axis::iteration_axis(const model& of, by what) : what_(what) {
  what == by::phases ? take_phases(of) : take_tasks(of);
}

void iteration_axis::take_phases(const model& of) {
  name_ = name_of_iterations(of);
  if (name_.empty()) return;
  const auto found = iterations_called(name_, of);
  std::vector<std::pair<std::int64_t, const decltype(found)::value_type*>> sorted;
  for (const auto& each : found) sorted.push_back({mean(each.second, &on_rank::begin), &each});
  std::ranges::sort(sorted, {}, [](const auto& each) { return each.first; });
  const std::int64_t first = begin_of(of.events()), last = of.events().end();
  for (const auto& each : sorted)
    for (const on_rank& mine : each.second->second) put(mine.rank, first, first);
  for (const auto& [place, each] : sorted) {
    if (!iterations_.empty() && place <= iterations_.back().begin) continue;
    iterations_.push_back({each->first.first, place});
    for (const on_rank& mine : each->second) put(mine.rank, mine.begin, place);
  }
  const std::vector<on_rank>& at_last = sorted.back().second->second;
  end_ = std::max(mean(at_last, &on_rank::end), iterations_.back().begin);
  for (const on_rank& mine : at_last) put(mine.rank, mine.end, end_);
  for (const auto& each : knots_) put(each.first, last, last);
}

void iteration_axis::take_tasks(const model& of) {
  name_ = "task";
  std::map<int, std::vector<std::int64_t>> begins;
  for (const task& t : of.tasks())
    if (t.begin != never) begins[t.rank].push_back(t.begin);
  std::size_t most = 0;
  for (auto& [rank, mine] : begins) {
    std::ranges::sort(mine);
    const auto again = std::ranges::unique(mine);
    mine.erase(again.begin(), again.end());
    most = std::max(most, mine.size());
  }
  const std::int64_t first = begin_of(of.events()), last = of.events().end();
  const double each = static_cast<double>(last - first) / static_cast<double>(most + 1);
  const auto place_of_task = [&](std::size_t n) {
    return first + std::llround(each * static_cast<double>(n + 1));
  };
  for (std::size_t n = 0; n < most; ++n)
    iterations_.push_back({static_cast<std::int64_t>(n), place_of_task(n)});
  end_ = last;
  for (const auto& [rank, mine] : begins) {
    put(rank, first, first);
    for (std::size_t n = 0; n < mine.size(); ++n) put(rank, mine[n], place_of_task(n));
    put(rank, last, last);
  }
}

/// What another knot would go back behind is left to its neighbours.
void iteration_axis::put(int rank, std::int64_t time, std::int64_t place) {
  std::vector<knot>& mine = knots_[rank];
  if (mine.empty() || (time > mine.back().time && place > mine.back().place))
    mine.push_back({time, place});
}

std::int64_t iteration_axis::place_of(int rank, std::int64_t time) const {
  const auto mine = knots_.find(rank);
  return mine == knots_.end() ? time : follow(mine->second, time, &knot::time, &knot::place);
}

std::int64_t iteration_axis::time_at(int rank, std::int64_t place) const {
  const auto mine = knots_.find(rank);
  return mine == knots_.end() ? place : follow(mine->second, place, &knot::place, &knot::time);
}

time_range iteration_axis::times_between(std::int64_t from, std::int64_t to) const {
  time_range all{from, to};
  for (const auto& each : knots_) {
    all.from = std::min(all.from, time_at(each.first, from));
    all.to = std::max(all.to, time_at(each.first, to));
  }
  return all;
}

namespace {

track on_axis(const track& of, int rank, const iteration_axis& axis) {
  std::vector<track_span> spans;
  spans.reserve(of.size());
  for (track_span each : of.spans()) {
    each.begin = axis.place_of(rank, each.begin);
    each.end = axis.place_of(rank, each.end);
    spans.push_back(each);
  }
  return track(std::move(spans));
}

curve on_axis(const curve& of, int rank, const iteration_axis& axis) {
  std::vector<curve::point> points = of.points();
  if (points.empty()) return of;
  const std::int64_t until = of.end_of(points.size() - 1);
  for (curve::point& each : points) each.time = axis.place_of(rank, each.time);
  return {std::move(points), axis.place_of(rank, until)};
}

}  // namespace

std::vector<timeline_lane> on_axis(const std::vector<timeline_lane>& lanes,
                                   const iteration_axis& axis) {
  std::vector<timeline_lane> placed(lanes.size());
  in_parallel(lanes.size(), [&](std::size_t i) {
    const timeline_lane& of = lanes[i];
    placed[i] = {of.lane,
                 of.rank,
                 of.runs_tasks,
                 {},
                 on_axis(of.waits, of.rank, axis),
                 of.sort,
                 of.name,
                 on_axis(of.values, of.rank, axis),
                 of.series};
    for (const track& each : of.tracks) placed[i].tracks.push_back(on_axis(each, of.rank, axis));
  });
  return placed;
}

}  // namespace deed::viewer
