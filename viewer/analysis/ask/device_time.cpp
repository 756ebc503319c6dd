// SPDX-License-Identifier: MIT
#include <deed/trace/events.hpp>

#include "analysis/ask/caveats.hpp"
#include "analysis/ask/device_work.hpp"
#include "analysis/ask/glossary.hpp"
#include "analysis/match/device_copy.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

/// What a device did for a while.
struct device_stretch {
  time_range time;
  std::size_t what = 0;  // A codelet; behind them tasks without one.
};

/// Their tasks, by device.
using device_stretches = std::map<std::uint32_t, std::vector<device_stretch>>;

class device_times {
 public:
  device_times(const model& of, const run_part& part)
      : of_(of), all_(looked_at(of.events(), part.range())), codelets_(of.codelets().size()) {
    const run& r = of.events();
    for (std::uint32_t lane = 0; lane < r.lanes().size(); ++lane)
      if (is_on_device(r, lane) && part.has_rank(r.lanes()[lane].rank))
        times_[lane].resize(kinds());
    if (times_.empty()) return;
    const device_stretches kernels = find_kernels();
    for (auto& [lane, times] : times_) add_up(lane, kernels, times);
  }

  [[nodiscard]] const auto& by_lane() const { return times_; }
  [[nodiscard]] std::size_t kinds() const { return codelets_ + 3; }
  [[nodiscard]] std::int64_t wall() const { return std::max<std::int64_t>(0, all_.to - all_.from); }
  [[nodiscard]] std::string name_of(std::size_t what) const {
    if (what < codelets_) return of_.codelets()[what].name;
    return what == codelets_        ? "task"
           : what == copies_alone() ? std::string(device_copies_alone)
                                    : std::string(device_empty);
  }

 private:
  [[nodiscard]] std::size_t copies_alone() const { return codelets_ + 1; }
  [[nodiscard]] std::size_t empty() const { return codelets_ + 2; }

  device_stretches find_kernels() const {
    device_stretches found;
    for (const task& t : of_.tasks())
      if (t.begin != never && times_.contains(t.lane))
        found[t.lane].push_back(
            {{t.begin, of_.end_of(t)}, std::min<std::size_t>(t.codelet, codelets_)});
    return found;
  }

  /// Each moment once: of kernels first, then of copies.
  void add_up(std::uint32_t lane, const device_stretches& kernels,
              std::vector<std::int64_t>& times) const {
    std::vector<time_range> busy;
    const auto sorted = [&](const device_stretches& from) {
      const auto mine = from.find(lane);
      std::vector<device_stretch> all =
          mine == from.end() ? std::vector<device_stretch>{} : mine->second;
      std::ranges::stable_sort(all, {}, [](const device_stretch& each) { return each.time.from; });
      return all;
    };
    std::int64_t until = all_.from;
    for (const device_stretch& each : sorted(kernels)) {
      const std::int64_t from = std::max(each.time.from, until),
                         to = std::min(each.time.to, all_.to);
      if (from >= to) continue;
      times[each.what] += to - from;
      busy.push_back({from, to});
      until = to;
    }
    until = all_.from;
    for (const device_copy& each : of_.device_copies_of(lane)) {
      const std::int64_t from = std::max(each.begin, until), to = std::min(each.end, all_.to);
      if (from >= to) continue;
      times[copies_alone()] += to - from - inside(busy, from, to);
      until = to;
    }
    times[empty()] = wall();
    for (std::size_t i = 0; i < empty(); ++i) times[empty()] -= times[i];
  }

  /// How much of a time lies in ranges that follow each other.
  static std::int64_t inside(const std::vector<time_range>& ranges, std::int64_t from,
                             std::int64_t to) {
    std::int64_t sum = 0;
    for (auto each = std::ranges::upper_bound(ranges, from, {}, &time_range::to);
         each != ranges.end() && each->from < to; ++each)
      sum += std::min(each->to, to) - std::max(each->from, from);
    return sum;
  }

  const model& of_;
  time_range all_;
  std::size_t codelets_;
  std::map<std::uint32_t, std::vector<std::int64_t>> times_;  // By lane: of each kind of work.
};

}  // namespace

std::vector<worker_time> time_of_devices(const model& of, const run_part& part) {
  const device_times found(of, part);
  std::vector<worker_time> all;
  for (const auto& [lane, times] : found.by_lane()) {
    worker_time& mine = all.emplace_back(worker_time{lane, {}});
    for (std::size_t i = 0; i < times.size(); ++i)
      if (times[i] != 0) mine.parts.emplace_back(found.name_of(i), times[i]);
  }
  return all;
}

std::string say_workers(const run& of, const time_shares& all) {
  const auto devices = static_cast<std::uint64_t>(std::ranges::count_if(
      all.workers, [&](const worker_time& each) { return is_on_device(of, each.lane); }));
  const std::string workers = say_some(all.workers.size() - devices, "worker");
  return devices == 0 ? workers : workers + " and " + say_some(devices, "device");
}

namespace {

constexpr std::int64_t as_good_as_none = 1'000;  // Of a kernel; two stamps of a host differ, too.

bool is_emulated(const run& of, std::uint32_t lane) {
  return device_name(of, lane).starts_with("emulated ");
}

}  // namespace

std::string say_no_time_on_devices(const model& of) {
  const run& r = of.events();
  bool emulated = false;
  for (std::uint32_t lane = 0; lane < r.lanes().size() && !emulated; ++lane)
    emulated = is_on_device(r, lane) && is_emulated(r, lane);
  if (!emulated) return {};
  std::int64_t kernels = 0, time = 0;
  for (const task& t : of.tasks())
    if (t.begin != never && t.end != never && is_on_device(r, t.lane)) {
      ++kernels;
      time += t.end - t.begin;
    }
  if (kernels == 0 || time > kernels * as_good_as_none) return {};
  return "kernels and copies of emulated devices take no time here; with "
         "DEED_DEVICES=emulated:N:timed they do";
}

std::string say_no_time_of(const run& of, std::uint32_t lane, std::int64_t took) {
  if (took > as_good_as_none || !is_on_device(of, lane) || !is_emulated(of, lane)) return {};
  return "This device is emulated and takes no time; with DEED_DEVICES=emulated:N:timed it does.";
}

}  // namespace deed::viewer
