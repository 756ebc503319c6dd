// SPDX-License-Identifier: MIT
#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/device_work.hpp"
#include "analysis/ask/late_transfers.hpp"
#include "analysis/read/event_walk.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <tuple>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

/// What devices did with the data of tasks, to be looked up for one datum of one rank.
class work_on_devices {
 public:
  explicit work_on_devices(const model& of) : of_(of) {
    const run& r = of.events();
    for (const access& a : of.all_accesses()) {
      const task& t = of.tasks()[a.task];
      // A task is called ready when the device takes those before it, which is not when they are
      // done: their kernels are what counts.
      if (t.begin != never && t.end != never && is_on_device(r, t.lane))
        uses_.push_back({a.handle, a.ver_out, t.rank, a.ver_in == a.ver_out, t.number, t.end});
    }
    std::ranges::sort(uses_, {}, &use::key);
    walk(
        r.events(), [](record what) { return what == record::copy_end; },
        [&](std::uint32_t i) {
          constexpr std::uint64_t host = 0;
          const event e = r.events()[i];
          if (r.get(e, field::dst) == host)
            back_[{r.get32(e, field::handle), r.rank_of(e)}].push_back(e.time);
        });
  }

  /// Since when nothing on a device held up a task of a worker; not before `since`.
  [[nodiscard]] std::int64_t free_for(const task& t, std::int64_t since) const {
    for (const access& a : of_.accesses(t)) {
      if (const std::int64_t back = came_back(a.handle, t); back > since) since = back;
      since = std::max(since, end_of_users(t, a));
    }
    return since;
  }

 private:
  using place = std::tuple<std::uint32_t, std::uint32_t, int, bool>;  // As the first of a use.
  struct use {
    std::uint32_t handle = 0, version = 0;
    int rank = 0;
    bool reads = false;
    std::uint64_t task = 0;
    std::int64_t end = 0;
    [[nodiscard]] place key() const { return {handle, version, rank, reads}; }
  };

  /// When a datum last came from a device to the memory of the worker, before the task began.
  [[nodiscard]] std::int64_t came_back(std::uint32_t handle, const task& t) const {
    const auto copies = back_.find({handle, t.rank});
    if (copies == back_.end()) return never;
    const auto behind = std::ranges::upper_bound(copies->second, t.begin);
    return behind == copies->second.begin() ? never : *std::prev(behind);
  }
  /// The end of the kernels that wrote what a task uses, or that read what it writes over.
  [[nodiscard]] std::int64_t end_of_users(const task& t, const access& a) const {
    const place first{a.handle, a.ver_in, t.rank, false},
        last_of{a.handle, a.ver_in, t.rank, a.writes()};
    const auto begin = std::ranges::lower_bound(uses_, first, {}, &use::key),
               behind = std::ranges::upper_bound(uses_, last_of, {}, &use::key);
    std::int64_t last = never;
    for (const use& each : std::ranges::subrange(begin, behind))
      if (each.task != t.number && each.end <= t.begin) last = std::max(last, each.end);
    return last;
  }

  const model& of_;
  std::vector<use> uses_;
  std::map<std::pair<std::uint32_t, int>, std::vector<std::int64_t>> back_;  // By datum and rank.
};

}  // namespace

std::vector<std::int64_t> usual_times(const model& of) {
  std::vector<std::vector<std::int64_t>> times(of.codelets().size() + 1);
  for (const task& t : of.tasks())
    if (t.begin != never && t.end != never)
      times[std::min<std::size_t>(t.codelet, of.codelets().size())].push_back(t.end - t.begin);
  std::vector<std::int64_t> usual;
  for (auto& each : times) {
    const auto middle = each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2);
    if (!each.empty()) std::nth_element(each.begin(), middle, each.end());
    usual.push_back(each.empty() ? 0 : *middle);
  }
  return usual;
}

std::vector<late_task> late_tasks(const model& of, const run_part& part) {
  const auto usual = usual_times(of);
  using begin_of_task = std::pair<std::int64_t, std::uint32_t>;  // What is compared lies together.
  std::vector<begin_of_task> order;
  order.reserve(of.tasks().size());
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) order.emplace_back(of.tasks()[i].begin, i);
  std::ranges::sort(order, {}, &begin_of_task::first);
  std::vector<std::int64_t> free_since(of.events().lanes().size());
  std::vector<late_task> found;
  std::optional<work_on_devices> on_devices;  // Where a task is late.
  const bool devices = has_devices(of.events());
  for (const auto& [begin, index] : order) {
    const task& t = of.tasks()[index];
    if (begin == never || t.lane >= free_since.size()) continue;
    std::int64_t since = std::max(free_since[t.lane], t.ready);
    free_since[t.lane] = std::max(free_since[t.lane], of.end_of(t));
    if (t.ready == never || !of.events().lanes()[t.lane].is_worker()) continue;
    const std::int64_t typical = usual[std::min<std::size_t>(t.codelet, of.codelets().size())];
    const std::int64_t in_time = std::max(short_wait, typical);
    if (t.begin - since <= in_time || !part.has_task(of, index)) continue;
    if (devices && !on_devices) on_devices.emplace(of);
    if (on_devices) since = on_devices->free_for(t, since);
    if (t.begin - since > in_time) found.push_back({index, since});
  }
  return found;
}

}  // namespace deed::viewer
