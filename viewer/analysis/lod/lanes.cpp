// SPDX-License-Identifier: MIT
#include "analysis/ask/program_stays.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/match/device_copy.hpp"
#include "analysis/read/merge.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/store/give_back.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace deed::viewer {
namespace {

/// Of each lane, what is drawn there. Tasks and transfers are found beside each other, and what
/// lies by lane already is taken with its lane.
class spans_by_lane {
 public:
  spans_by_lane(const model& of, const run_part& part)
      : of_(of),
        part_(part),
        stays_(stays_of_programs(of)),
        tasks_(lanes().size()),
        sends_(lanes().size()),
        receives_(lanes().size()),
        waits_(lanes().size()),
        errors_(lanes().size()) {
    in_parallel(2, [this](std::size_t half) {
      if (half == 0) {
        find_tasks();
        find_waits();
      } else {
        find_transfers();
        find_errors();
      }
    });
  }

  timeline_lane take(std::uint32_t lane) {
    std::vector<track_span>& tasks = tasks_[lane];
    const bool runs_tasks = lanes()[lane].is_worker() || !tasks.empty();
    timeline_lane made{lane, lanes()[lane].rank, runs_tasks, {}, track(std::move(waits_[lane]))};
    std::vector<track_span> spans = std::move(tasks);
    add_states(lane, spans);
    for (std::vector<track_span>* const more : {&sends_[lane], &errors_[lane]})
      spans.insert(spans.end(), more->begin(), more->end());
    give_back(sends_[lane]);
    made.tracks.emplace_back(std::move(spans));
    if (lanes()[lane].is_progress()) made.tracks.emplace_back(std::move(receives_[lane]));
    return made;
  }

 private:
  using by_lane = std::vector<std::vector<track_span>>;

  [[nodiscard]] const std::vector<lane>& lanes() const { return of_.events().lanes(); }

  void find_tasks() {
    std::vector<std::size_t> sizes(lanes().size());  // At most.
    for (const task& t : of_.tasks())
      if (t.begin != never && t.lane != none) ++sizes[t.lane];
    for (std::size_t lane = 0; lane < sizes.size(); ++lane) tasks_[lane].reserve(sizes[lane]);
    for (std::uint32_t i = 0; i < of_.tasks().size(); ++i) {
      const task& t = of_.tasks()[i];
      if (t.begin == never || t.lane == none || !part_.has_task(of_, i)) continue;
      const bool open = t.end == never;
      tasks_[t.lane].push_back({t.begin, of_.end_of(t), i,
                                static_cast<std::uint16_t>(t.codelet == none ? 0 : t.codelet),
                                span_type::task,
                                static_cast<std::uint8_t>((open ? flag_unfinished : 0) |
                                                          (t.status == 1 ? flag_error : 0))});
    }
  }

  /// On the lane of each rank that moves its messages, where there is one.
  void find_transfers() {
    std::map<int, std::uint32_t> progress_of;
    for (std::uint32_t lane = 0; lane < lanes().size(); ++lane)
      if (lanes()[lane].is_progress()) progress_of.try_emplace(lanes()[lane].rank, lane);
    for (std::uint32_t i = 0; i < of_.transfers().size(); ++i) {
      const transfer& x = of_.transfers()[i];
      if (!part_.has_transfer(of_, i)) continue;
      const auto flags = static_cast<std::uint8_t>((x.in_vain() ? flag_redundant : 0) |
                                                   (x.end() == never ? flag_unfinished : 0));
      const auto at_src = progress_of.find(x.src), at_dst = progress_of.find(x.dst);
      if (at_src != progress_of.end() && x.start != never)
        sends_[at_src->second].push_back(
            {x.start, end_at_src(x), i, x.reason, span_type::send, flags});
      const bool left = x.start != never || x.done_receive != never;
      if (at_dst != progress_of.end() && left) {
        const std::int64_t end = end_at_dst(x);
        receives_[at_dst->second].push_back(
            {std::min(x.at_receiver(), end), end, i, x.reason, span_type::receive, flags});
      }
    }
  }

  [[nodiscard]] std::int64_t end_at_src(const transfer& x) const {
    if (x.done_send != never) return x.done_send;
    return x.end() != never ? x.end() : std::max(x.start, of_.known_until(x.src));
  }

  [[nodiscard]] std::int64_t end_at_dst(const transfer& x) const {
    return std::max(x.done_receive == never ? of_.known_until(x.dst) : x.done_receive,
                    x.on_the_wire());
  }

  void find_waits() {
    for (const wait_span& w : of_.waits())
      if (part_.has_span(of_, w.event, w.begin, w.end))
        waits_[w.lane].push_back(
            {w.begin, w.end, w.event,
             *name_of_stay(w.what) == '\0' ? std::uint16_t{0} : kind_of_stay(w.what),
             span_type::wait, static_cast<std::uint8_t>(w.ended ? 0 : flag_unfinished)});
  }

  /// And signals that ended a rank, and where the program stopped the run.
  void find_errors() {
    std::vector<std::uint32_t> wrong;
    std::ranges::merge(of_.failures(), of_.stops(), std::back_inserter(wrong));
    for (const std::uint32_t i : wrong) {
      const event e = of_.events().events()[i];
      if (part_.has(of_, e))
        errors_[e.lane].push_back({e.time, e.time, i, 1, span_type::wait,
                                   e.what == record::stop_run ? flag_stop : flag_error});
    }
  }

  void add_states(std::uint32_t lane, std::vector<track_span>& to) const {
    const std::span<const state_span> mine = of_.states_of(lane);
    to.reserve(to.size() + mine.size());
    auto number = static_cast<std::uint32_t>(mine.data() - of_.states().data());
    for (const state_span& s : mine) add_state(s, number++, to);
  }

  void add_state(const state_span& s, std::uint32_t number, std::vector<track_span>& to) const {
    cut_by_stays(s, {of_.begin_of(s), s.end}, stays_beside(of_, stays_, s.lane),
                 [&](std::int64_t begin, std::int64_t end, const program_stay* in) {
                   if (part_.has_span(of_, s.event, begin, end))
                     to.push_back({begin, end, number, kind_of_state(s, in), span_type::state, 0});
                 });
  }

  const model& of_;
  const run_part& part_;
  const std::vector<std::vector<program_stay>> stays_;
  by_lane tasks_, sends_, receives_, waits_, errors_;
};

}  // namespace

std::uint16_t kind_of_state(const state_span& state, const program_stay* in) {
  return in == nullptr ? static_cast<std::uint16_t>(state.state) : kind_of_stay(in->what);
}

std::string name_of_state(std::uint16_t kind) {
  return kind < first_stay ? state_name(static_cast<std::uint8_t>(kind))
                           : name_of_stay(static_cast<std::uint8_t>(kind - first_stay));
}

std::vector<timeline_lane> make_lanes(const model& of, const run_part& part) {
  const std::vector<lane>& all = of.events().lanes();
  const auto order = [&](std::uint32_t lane) {
    const auto& each = all[lane];
    const int place = each.is_program() ? 0 : each.is_worker() ? 1 : each.is_progress() ? 3 : 2;
    return std::tuple{each.rank, place, each.index, lane};
  };
  std::vector<std::uint32_t> sorted;
  for (std::uint32_t lane = 0; lane < all.size(); ++lane)
    if (!all[lane].is(trace::stream_kind::definitions)) sorted.push_back(lane);
  std::ranges::sort(sorted, {}, order);
  spans_by_lane spans(of, part);
  std::vector<timeline_lane> lanes(sorted.size());
  in_parallel(sorted.size(), [&](std::size_t i) { lanes[i] = spans.take(sorted[i]); });
  return lanes;
}

namespace {

/// Deeper ones lie over those of the last depth that has a track: no program that somebody wrote
/// has as many, and one that calls itself would have a lane without an end.
constexpr std::size_t most_depths = 16;

/// What the phases of all ranks are called, each once.
class name_numbers {
 public:
  explicit name_numbers(const model& of) : of_(of) {}
  std::uint16_t of(const phase_span& phase) {
    const run& r = of_.events();
    const event e = r.events()[phase.event];
    const std::string name = of_.text(r.rank_of(e), r.get32(e, field::name));
    return numbers_.try_emplace(name, static_cast<std::uint16_t>(numbers_.size())).first->second;
  }

 private:
  const model& of_;
  std::map<std::string, std::uint16_t> numbers_;
};

timeline_lane phases_lane(const model& of, std::uint32_t lane, name_numbers& names) {
  timeline_lane made{lane, of.events().lanes()[lane].rank, false, {}, {}, lane_sort::phases};
  std::vector<std::vector<track_span>> by_depth;
  for (const phase_span& each : of.phases_of(lane)) {
    const std::size_t depth = std::min<std::size_t>(each.depth, most_depths - 1);
    by_depth.resize(std::max(by_depth.size(), depth + 1));
    by_depth[depth].push_back(
        {each.begin, each.end, each.event, names.of(each), span_type::phase,
         static_cast<std::uint8_t>(each.end_event == none ? flag_unfinished : 0)});
  }
  for (auto& each : by_depth) made.tracks.emplace_back(std::move(each));
  return made;
}

/// Of one thread their lane is called so; of several each has the name of its thread, too.
void add_phases(const model& of, std::vector<timeline_lane>& to) {
  name_numbers names(of);
  std::map<int, int> threads;
  const std::size_t first = to.size();
  for (auto at = of.phases().begin(); at != of.phases().end();
       at = std::ranges::upper_bound(at, of.phases().end(), at->lane, {}, &phase_span::lane)) {
    to.push_back(phases_lane(of, at->lane, names));
    ++threads[to.back().rank];
  }
  for (std::size_t i = first; i < to.size(); ++i)
    to[i].name =
        threads[to[i].rank] == 1 ? "phases" : "phases " + of.events().lanes()[to[i].lane].name;
}

void add_values(const model& of, std::vector<timeline_lane>& to) {
  const event_list& events = of.events().events();
  for (const value_series& each : of.values()) {
    std::vector<curve::point> points;
    points.reserve(each.events.size());
    for (const std::uint32_t event : each.events)
      points.push_back({events.time(event), of.value_of(event)});
    timeline_lane made{events[each.events.front()].lane,
                       each.rank,
                       false,
                       {},
                       {},
                       lane_sort::values,
                       of.value_name(each)};
    made.values = curve(std::move(points), of.known_until(each.rank));
    made.series = &each;
    to.push_back(std::move(made));
  }
}

/// With the times of the device. Those of the two ways go on beside each other.
void add_copies(const model& of, std::vector<timeline_lane>& to) {
  for (timeline_lane& lane : to) {
    std::array<std::vector<track_span>, 2> by_way;
    for (const device_copy& each : of.device_copies_of(lane.lane)) {
      const std::uint16_t way = each.to.second == 0 ? copy_from_device : copy_to_device;
      by_way[way].push_back(
          {each.begin, std::max(each.begin, each.end), each.event, way, span_type::copy, 0});
    }
    for (const std::uint16_t way : {copy_to_device, copy_from_device})
      if (!by_way[way].empty()) lane.tracks.emplace_back(std::move(by_way[way]));
  }
}

}  // namespace

std::vector<timeline_lane> make_timeline(const model& of) {
  std::vector<timeline_lane> lanes = make_lanes(of);
  add_copies(of, lanes);
  std::vector<timeline_lane> above;
  add_phases(of, above);
  add_values(of, above);
  lanes.insert(lanes.begin(), std::make_move_iterator(above.begin()),
               std::make_move_iterator(above.end()));
  std::ranges::stable_sort(lanes, {}, &timeline_lane::rank);
  return lanes;
}

namespace {

/// Since when it is known that a thread without a state had none: the first event of its rank; of a
/// slice of a whole recording, its begin, as it has the state in which each thread was then.
std::optional<std::int64_t> states_known_from(const run& r, const rank_info& rank) {
  if (!rank.lost && rank.from <= rank.first) return rank.first;
  const trace_layout* const clock = r.clock_of(rank.rank);
  if (clock == nullptr || !r.incomplete().empty() || rank.discarded != 0) return {};
  const auto said = [&](const char* name) {
    const auto at = clock->environment.find(name);
    return at == clock->environment.end() ? std::string() : at->second;
  };
  const bool whole = said("mode") == "full" && !said("slice_from").empty();
  return whole ? std::optional(std::max(rank.from, rank.first)) : std::nullopt;
}

}  // namespace

std::optional<time_range> not_started(const model& of, std::uint32_t lane) {
  const auto& ranks = of.events().ranks();
  const auto& me = of.events().lanes()[lane];
  const auto rank = std::ranges::find(ranks, me.rank, &rank_info::rank);
  const auto states = of.states_of(lane);
  const bool says_states = !states.empty() || of.events().records("wait");
  if (!me.is_worker() || me.discarded != 0 || !says_states || rank == ranks.end())
    return std::nullopt;
  const auto from = states_known_from(of.events(), *rank);
  std::int64_t begin = me.events == 0 ? of.lane_known_until(lane) : me.first;
  if (!states.empty()) begin = std::min(begin, of.begin_of(states.front()));
  return from && begin > *from ? std::optional(time_range{*from, begin}) : std::nullopt;
}

}  // namespace deed::viewer
