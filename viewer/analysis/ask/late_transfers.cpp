// SPDX-License-Identifier: MIT
#include "analysis/ask/late_transfers.hpp"

#include <deed/trace/events.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

namespace deed::viewer {
namespace {

/// Of one thread, longer than it takes to wake up.
struct thread_wait {
  std::uint32_t lane = 0;
  time_range time;
  std::uint32_t handle = none;  // What it waited for.
};

std::pair<std::uint32_t, std::int64_t> place_of(const thread_wait& wait) {
  return {wait.lane, wait.time.to};
}

/// By lane, in order.
std::vector<thread_wait> long_waits(const model& of) {
  std::vector<thread_wait> found;
  for (const state_span& s : of.states()) {
    const std::int64_t begin = of.begin_of(s);
    if (!s.is(trace::worker_state::fetch_wait) || s.end - begin <= short_wait) continue;
    found.push_back({s.lane, {begin, s.end}});
    const state_reason why = of.reason_of(s);
    if (why.kind == trace::reason_kind::handle)
      found.back().handle = static_cast<std::uint32_t>(why.number);
  }
  std::ranges::sort(found, {}, place_of);
  return found;
}

/// In a wait of the program for a datum, as that says itself.
void add_data_of_programs(std::vector<thread_wait>& waits, const model& of) {
  const run& r = of.events();
  for (const wait_span& each : of.waits()) {
    if (static_cast<trace::wait_kind>(each.what) != trace::wait_kind::handle) continue;
    const auto handle = static_cast<std::uint32_t>(r.get(r.events()[each.event], field::id));
    auto at = std::ranges::lower_bound(waits, std::pair(each.lane, each.begin), {}, place_of);
    for (; at != waits.end() && at->lane == each.lane && at->time.from < each.end; ++at)
      if (at->handle == none && at->time.from >= each.begin) at->handle = handle;
  }
}

/// A worker does not say it: what made its next task ready does.
void add_data_of_tasks(std::vector<thread_wait>& waits, const model& of) {
  std::vector<std::uint32_t> next(waits.size(), none);
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    const task& t = of.tasks()[i];
    const auto behind = std::ranges::upper_bound(waits, std::pair(t.lane, t.begin), {}, place_of);
    if (t.begin == never || behind == waits.begin() || behind[-1].lane != t.lane) continue;
    std::uint32_t& first = next[static_cast<std::size_t>(behind - waits.begin() - 1)];
    if (first == none || t.begin < of.tasks()[first].begin) first = i;
  }
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (waits[i].handle != none || next[i] == none) continue;
    const task& t = of.tasks()[next[i]];
    const bool came =
        static_cast<trace::ready_cause>(t.ready_cause) == trace::ready_cause::transfer;
    if (came && t.ready > waits[i].time.from)
      waits[i].handle = static_cast<std::uint32_t>(t.ready_by >> 32);
  }
}

/// What threads waited for; by the datum.
std::vector<thread_wait> waits_for_data(const model& of) {
  std::vector<thread_wait> found = long_waits(of);
  const auto is_unknown = [](const thread_wait& w) { return w.handle == none; };
  if (std::ranges::any_of(found, is_unknown)) add_data_of_programs(found, of);
  if (std::ranges::any_of(found, is_unknown)) add_data_of_tasks(found, of);
  std::erase_if(found, [&](const thread_wait& w) { return w.handle >= of.data().size(); });
  std::ranges::sort(found, {}, &thread_wait::handle);
  return found;
}

/// What came of one datum: on which rank, when, and by which transfer; in that order.
using coming = std::tuple<int, std::int64_t, std::uint32_t>;

std::vector<coming> arrivals_of(std::uint32_t handle, const model& of) {
  std::vector<coming> found;
  for (const std::uint32_t i : of.transfers_of(handle))
    if (const transfer& x = of.transfers()[i]; x.end() != never)
      found.emplace_back(x.dst, x.end(), i);
  std::ranges::sort(found);
  return found;
}

/// What ended a wait, if it came late.
std::optional<late_transfer> ended_by(const std::vector<coming>& arrivals, const thread_wait& wait,
                                      const model& of, const std::vector<std::int64_t>& usual) {
  const int rank = of.events().lanes()[wait.lane].rank;
  const auto behind = std::ranges::upper_bound(arrivals, coming(rank, wait.time.to, none));
  if (behind == arrivals.begin() || std::get<int>(behind[-1]) != rank) return {};
  const auto [_, came, transfer] = behind[-1];
  const std::uint32_t reader = of.task_for(of.transfers()[transfer]);
  const std::size_t sort = reader == none ? usual.size() - 1 : of.tasks()[reader].codelet;
  const std::int64_t waited = came - wait.time.from;
  if (waited <= std::max(short_wait, usual[std::min(sort, usual.size() - 1)])) return {};
  constexpr std::int64_t most = ~std::uint32_t{0};
  return late_transfer{transfer, static_cast<std::uint32_t>(std::min(waited / 1'000, most))};
}

}  // namespace

std::vector<late_transfer> late_transfers(const model& of) {
  const std::vector<thread_wait> waits = waits_for_data(of);
  if (waits.empty()) return {};
  const std::vector<std::int64_t> usual = usual_times(of);
  std::vector<late_transfer> found;
  std::vector<coming> arrivals;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (i == 0 || waits[i].handle != waits[i - 1].handle)
      arrivals = arrivals_of(waits[i].handle, of);
    if (const auto late = ended_by(arrivals, waits[i], of, usual)) found.push_back(*late);
  }
  // Of several threads the longest.
  std::ranges::sort(found, [](const late_transfer& a, const late_transfer& b) {
    return std::pair(a.transfer, b.microseconds) < std::pair(b.transfer, a.microseconds);
  });
  const auto again = std::ranges::unique(found, {}, &late_transfer::transfer);
  found.erase(again.begin(), again.end());
  found.shrink_to_fit();
  return found;
}

}  // namespace deed::viewer
