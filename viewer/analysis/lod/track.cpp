// SPDX-License-Identifier: MIT
#include "analysis/lod/track.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace deed::viewer {
namespace {

constexpr std::size_t fan_out = 8;

}  // namespace

void track::node::share::add(std::int64_t time, std::int64_t one, std::uint32_t index) {
  covered += time;
  if (one <= longest_time) return;
  longest_time = one;
  longest = index;
}

track::track(std::vector<track_span> spans) : spans_(std::move(spans)) {
  std::stable_sort(spans_.begin(), spans_.end(),
                   [](const auto& a, const auto& b) { return a.begin < b.begin; });
  ends_.reserve(spans_.size() / fan_out + 1);
  std::int64_t latest = 0;
  std::vector<node> level;
  level.reserve(spans_.size() / fan_out + 1);
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const track_span& s = spans_[i];
    latest = std::max(latest, s.end);
    if (i % fan_out == 0) {
      level.push_back({s.begin, s.end, {}, {}, 0});
      ends_.push_back(latest);
    }
    ends_.back() = latest;
    node& last = level.back();
    last.end = std::max(last.end, s.end);
    const std::int64_t time = s.end - s.begin;
    (s.type == span_type::state ? last.states : last.work)
        .add(time, time, static_cast<std::uint32_t>(i));
    last.flags |= s.flags;
  }
  while (level.size() > fan_out) {
    std::vector<node> above;
    above.reserve(level.size() / fan_out + 1);
    for (std::size_t i = 0; i < level.size(); ++i) {
      const node& below = level[i];
      if (i % fan_out == 0) above.push_back({below.begin, below.end, {}, {}, 0});
      node& last = above.back();
      last.end = std::max(last.end, below.end);
      last.work.add(below.work.covered, below.work.longest_time, below.work.longest);
      last.states.add(below.states.covered, below.states.longest_time, below.states.longest);
      last.flags |= below.flags;
    }
    levels_.push_back(std::move(level));
    level = std::move(above);
  }
  if (!level.empty()) levels_.push_back(std::move(level));
}

std::pair<std::size_t, std::size_t> track::touching(std::int64_t from, std::int64_t to) const {
  const auto block = std::lower_bound(ends_.begin(), ends_.end(), from) - ends_.begin();
  auto first = std::min(static_cast<std::size_t>(block) * fan_out, spans_.size());
  while (first < spans_.size() && spans_[first].end < from) ++first;  // All before it ended, too.
  const auto last = std::upper_bound(spans_.begin(), spans_.end(), to,
                                     [](std::int64_t t, const auto& s) { return t < s.begin; }) -
                    spans_.begin();
  return {first, std::max(first, static_cast<std::size_t>(last))};
}

void track::draw(std::int64_t from, std::int64_t to, std::span<track_pixel> row) const {
  if (row.empty() || to <= from || spans_.empty()) return;
  const double scale = static_cast<double>(row.size()) / static_cast<double>(to - from);
  std::vector<std::int64_t> best(row.size(), -1), best_state(row.size(), -1);
  const auto last_pixel = static_cast<std::ptrdiff_t>(row.size()) - 1;
  const auto put = [&](const node& n) {
    const double x0 = static_cast<double>(n.begin - from) * scale;
    const double x1 = static_cast<double>(n.end - from) * scale;
    const auto first = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(x0), 0, last_pixel);
    const auto last = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(x1), 0, last_pixel);
    const double time = static_cast<double>(std::max<std::int64_t>(1, n.end - n.begin));
    const auto work = static_cast<float>(std::min(1.0, static_cast<double>(n.work.covered) / time));
    const auto states =
        static_cast<float>(std::min(1.0, static_cast<double>(n.states.covered) / time));
    for (auto x = first; x <= last; ++x) {
      const auto px = static_cast<double>(x);
      const auto part = static_cast<float>(std::max(0.0, std::min(x1, px + 1) - std::max(x0, px)));
      const auto i = static_cast<std::size_t>(x);
      track_pixel& pixel = row[i];
      pixel.tasks = std::min(1.0f, pixel.tasks + part * work);
      pixel.states = std::min(1.0f, pixel.states + part * states);
      pixel.flags |= n.flags;
      if (n.work.longest_time > best[i]) {
        best[i] = n.work.longest_time;
        pixel.longest = n.work.longest;
      }
      if (n.states.longest_time > best_state[i]) {
        best_state[i] = n.states.longest_time;
        pixel.longest_state = n.states.longest;
      }
    }
  };
  const auto [first, last] = touching(from, to);
  // The coarsest level that still has two nodes per pixel.
  std::size_t step = 1, level = 0;
  while (level < levels_.size() && (last - first) / (step * fan_out) > 2 * row.size()) {
    step *= fan_out;
    ++level;
  }
  if (level == 0) {
    for (std::size_t i = first; i < last; ++i) {
      const track_span& s = spans_[i];
      node one{s.begin, s.end, {}, {}, s.flags};
      (s.type == span_type::state ? one.states : one.work)
          .add(s.end - s.begin, s.end - s.begin, static_cast<std::uint32_t>(i));
      put(one);
    }
    return;
  }
  const auto& nodes = levels_[level - 1];
  for (std::size_t i = first / step; i < nodes.size() && i * step < last; ++i) put(nodes[i]);
}

std::vector<timeline_lane> make_lanes(const model& of, const run_part& part) {
  const run& r = of.events();
  constexpr std::uint32_t application = 2, worker = 1, progress = 3;
  std::vector<std::vector<track_span>> spans(r.lanes().size()), receives(r.lanes().size());
  std::map<int, std::uint32_t> progress_of;
  for (std::uint32_t lane = 0; lane < r.lanes().size(); ++lane)
    if (r.lanes()[lane].kind == progress) progress_of.try_emplace(r.lanes()[lane].rank, lane);

  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    const task& t = of.tasks()[i];
    if (t.begin == never || t.lane == none || !part.has_task(of, i)) continue;
    const bool open = t.end == never;
    spans[t.lane].push_back({t.begin, open ? r.end() : t.end, i,
                             static_cast<std::uint16_t>(t.codelet == none ? 0 : t.codelet),
                             span_type::task,
                             static_cast<std::uint8_t>((open ? flag_unfinished : 0) |
                                                       (t.status == 1 ? flag_error : 0))});
  }
  for (std::uint32_t i = 0; i < of.states().size(); ++i) {
    const state_span& s = of.states()[i];
    if (!part.has_span(of, s.event, s.begin, s.end)) continue;
    spans[s.lane].push_back({s.begin, s.end, i, s.state, span_type::state, 0});
  }
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i) {
    const transfer& x = of.transfers()[i];
    if (!part.has_transfer(of, i)) continue;
    const auto flags = static_cast<std::uint8_t>((x.in_vain() ? flag_redundant : 0) |
                                                 (x.end() == never ? flag_unfinished : 0));
    const auto at_src = progress_of.find(x.src), at_dst = progress_of.find(x.dst);
    if (at_src != progress_of.end() && x.start != never)
      spans[at_src->second].push_back({x.start,
                                       x.done_send != never ? x.done_send
                                       : x.end() == never   ? r.end()
                                                            : x.end(),
                                       i, 0, span_type::send, flags});
    const bool left = x.start != never || x.done_receive != never;
    if (at_dst != progress_of.end() && left)
      receives[at_dst->second].push_back(
          {x.begin(), x.done_receive == never ? r.end() : std::max(x.done_receive, x.begin()), i, 0,
           span_type::receive, flags});
  }
  std::vector<std::vector<track_span>> waits(r.lanes().size());
  for (const wait_span& w : of.waits())
    if (part.has_span(of, w.event, w.begin, w.end))
      waits[w.lane].push_back({w.begin, w.end, w.event, 0, span_type::wait,
                               static_cast<std::uint8_t>(w.ended ? 0 : flag_unfinished)});
  for (std::uint32_t i = 0; i < r.events().size(); ++i) {
    if (r.events().what(i) != record::error) continue;
    const event e = r.events()[i];
    if (!part.has(of, e)) continue;
    spans[e.lane].push_back({e.time, e.time, i, 1, span_type::wait, flag_error});
  }

  std::vector<timeline_lane> lanes;
  const auto order = [&](std::uint32_t lane) {
    const auto kind = r.lanes()[lane].kind;
    return std::tuple{r.lanes()[lane].rank,
                      kind == application ? 0
                      : kind == worker    ? 1
                      : kind == progress  ? 3
                                          : 2,
                      r.lanes()[lane].index, lane};
  };
  std::vector<std::uint32_t> sorted;
  for (std::uint32_t lane = 0; lane < r.lanes().size(); ++lane)
    if (r.lanes()[lane].kind != 0) sorted.push_back(lane);
  std::sort(sorted.begin(), sorted.end(), [&](auto a, auto b) { return order(a) < order(b); });
  for (const std::uint32_t lane : sorted) {
    const bool runs_tasks =
        r.lanes()[lane].kind == worker ||
        std::any_of(spans[lane].begin(), spans[lane].end(),
                    [](const track_span& each) { return each.type == span_type::task; });
    timeline_lane made{lane, r.lanes()[lane].rank, runs_tasks, {}, track(std::move(waits[lane]))};
    made.tracks.emplace_back(std::move(spans[lane]));
    if (r.lanes()[lane].kind == progress) made.tracks.emplace_back(std::move(receives[lane]));
    lanes.push_back(std::move(made));
  }
  return lanes;
}

}  // namespace deed::viewer
