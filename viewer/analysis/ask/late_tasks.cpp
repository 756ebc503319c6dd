// SPDX-License-Identifier: MIT
#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/device_work.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

/// By codelet: the median of what its tasks take. The last is of tasks without one.
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

/// Of a task before another one, on a device: its kernel. A task is called ready when the device
/// takes those before it, which is not when they are done.
std::int64_t end_on_device(const model& of, const task& before, std::int64_t until) {
  const bool there = before.begin != never && is_on_device(of.events(), before.lane);
  return there && before.end != never && before.end <= until ? before.end : never;
}

/// The end of the kernels that read what a task writes over, or that wrote what it uses. The search
/// goes back to where that was inserted.
std::int64_t end_of_users(const model& of, const task& t, const access& a,
                          std::span<const std::uint32_t> events) {
  const run& r = of.events();
  std::int64_t last = never;
  for (std::size_t i = events.size(); i-- != 0;) {
    const event e = r.events()[events[i]];
    if (e.what != record::task_access || r.rank_of(e) != t.rank) continue;
    const std::uint32_t version = r.get32(e, field::ver_out);
    if (version > a.ver_in) continue;
    if (version < a.ver_in) break;
    const bool wrote = r.get32(e, field::ver_in) != version;
    if (!wrote && !a.writes()) continue;  // Both read it.
    const std::uint32_t before = of.find_task(t.rank, r.get(e, field::task));
    if (before != none && of.tasks()[before].number != t.number)
      last = std::max(last, end_on_device(of, of.tasks()[before], t.begin));
  }
  return last;
}

/// When the data of a task had come back from devices to the memory of its worker.
std::int64_t end_of_copies(const model& of, const task& t, std::int64_t since,
                           std::span<const std::uint32_t> events) {
  constexpr std::uint64_t host = 0;
  const run& r = of.events();
  for (std::size_t i = events.size(); i-- != 0;) {
    const event e = r.events()[events[i]];
    if (e.time <= since) break;
    if (e.what == record::copy_end && r.rank_of(e) == t.rank && r.get(e, field::dst) == host)
      return e.time;
  }
  return never;
}

/// Since when nothing on a device held up a task of a worker; not before `since`.
std::int64_t free_of_devices(const model& of, const task& t, std::int64_t since) {
  const run& r = of.events();
  for (const access& a : of.accesses(t)) {
    const auto all = of.events_of(a.handle);
    const auto behind = std::ranges::upper_bound(
        all, t.begin, {}, [&](std::uint32_t event) { return r.events().time(event); });
    const auto before = all.first(static_cast<std::size_t>(behind - all.begin()));
    since = std::max(since, end_of_copies(of, t, since, before));
    since = std::max(since, end_of_users(of, t, a, before));
  }
  return since;
}

}  // namespace

std::vector<late_task> late_tasks(const model& of, const run_part& part) {
  constexpr std::int64_t short_wait = 100'000;  // A thread that slept may take so long to wake up.
  const auto usual = usual_times(of);
  using begin_of_task = std::pair<std::int64_t, std::uint32_t>;  // What is compared lies together.
  std::vector<begin_of_task> order;
  order.reserve(of.tasks().size());
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) order.emplace_back(of.tasks()[i].begin, i);
  std::ranges::sort(order, {}, &begin_of_task::first);
  std::vector<std::int64_t> free_since(of.events().lanes().size());
  std::vector<late_task> found;
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
    if (devices) since = free_of_devices(of, t, since);
    if (t.begin - since > in_time) found.push_back({index, since});
  }
  return found;
}

}  // namespace deed::viewer
