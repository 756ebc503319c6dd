// SPDX-License-Identifier: MIT
#include "analysis/ask/blame.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>

namespace deed::viewer {
namespace {

std::uint64_t place_of(int rank, std::uint32_t handle) {
  return std::uint64_t{static_cast<std::uint32_t>(rank)} << 32 | handle;
}

std::size_t hash_of(std::uint32_t handle, std::uint32_t version, int dst) {
  return mix(std::uint64_t{handle} << 32 | version, static_cast<std::uint32_t>(dst));
}
bool moves(const transfer& x, std::uint32_t handle, std::uint32_t version, int dst) {
  return x.handle == handle && x.version == version && x.dst == dst;
}

}  // namespace

blame::blame(const model& of) : of_(of) {
  tasks_.resize(of.events().lanes().size());
  constexpr std::uint32_t worker = 1, application = 2;
  std::set<int> with_workers;
  for (const lane& each : of.events().lanes())
    if (each.kind == worker) with_workers.insert(each.rank);
  for (const lane& each : of.events().lanes())
    works_.push_back(each.kind == worker ||
                     (each.kind == application && !with_workers.contains(each.rank)));
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i)
    if (of.tasks()[i].begin != never && of.tasks()[i].lane < tasks_.size())
      tasks_[of.tasks()[i].lane].push_back(i);
  for (auto& each : tasks_)
    std::sort(each.begin(), each.end(),
              [&](auto a, auto b) { return of.tasks()[a].begin < of.tasks()[b].begin; });

  came_.resize(static_cast<std::size_t>(of.ranks()));
  missing_.resize(came_.size());
  incoming_.reserve(of.transfers().size());
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i) {
    const transfer& x = of.transfers()[i];
    if (x.dst >= 0 && x.dst < of.ranks()) {
      auto& of_rank = (x.done_receive != never ? came_ : missing_)[static_cast<std::size_t>(x.dst)];
      if (x.done_receive != never || x.post_receive != never) of_rank.push_back(i);
    }
    incoming_.push_back({place_of(x.dst, x.handle), x.begin(),
                         x.end() == never ? std::numeric_limits<std::int64_t>::max() : x.end(), i});
  }
  for (auto& each : came_)
    std::sort(each.begin(), each.end(), [&](auto a, auto b) {
      return of.transfers()[a].done_receive < of.transfers()[b].done_receive;
    });
  for (auto& each : missing_)
    std::ranges::sort(each, {}, [&](std::uint32_t i) {
      return std::tuple(of.transfers()[i].for_task, of.transfers()[i].post_receive, i);
    });
  std::sort(incoming_.begin(), incoming_.end(), [](const incoming& a, const incoming& b) {
    return std::tie(a.to, a.begin, a.transfer) < std::tie(b.to, b.begin, b.transfer);
  });
  for (std::size_t i = 0; i < incoming_.size(); ++i) {
    const transfer& x = of.transfers()[incoming_[i].transfer];
    first_.add(hash_of(x.handle, x.version, x.dst), incoming_[i].transfer, [&](std::uint32_t at) {
      return moves(of.transfers()[at], x.handle, x.version, x.dst);
    });
    if (i != 0 && incoming_[i - 1].to == incoming_[i].to)
      incoming_[i].reach = std::max(incoming_[i].reach, incoming_[i - 1].reach);
  }
}

/// The first transfer of a version to a rank that was there at a moment; `none` if there is none.
std::uint32_t blame::arrived(std::uint32_t handle, std::uint32_t version, int dst,
                             std::int64_t until) const {
  const auto there = [&](std::uint32_t index) {
    const transfer& x = of_.transfers()[index];
    return x.done_receive != never && x.done_receive <= until;
  };
  const std::uint32_t first = first_.find(hash_of(handle, version, dst), [&](std::uint32_t at) {
    return moves(of_.transfers()[at], handle, version, dst);
  });
  if (first == none || there(first)) return first;
  for (const std::uint32_t index :
       of_.transfers_of(handle)) {  // It was sent again, and was faster.
    const transfer& x = of_.transfers()[index];
    if (x.dst == dst && x.version == version && there(index)) return index;
  }
  return none;
}

/// A thread that had nothing to do waited for what made its next task ready.
int blame::by_next(const state_span& s) const {
  constexpr std::uint8_t transfer_cause = 2;
  const auto& tasks = tasks_[s.lane];
  const auto next = std::lower_bound(tasks.begin(), tasks.end(), s.end, [&](auto t, auto time) {
    return of_.tasks()[t].begin < time;
  });
  if (next == tasks.end()) return -1;
  const task& t = of_.tasks()[*next];
  if (t.ready == never || t.ready < s.begin) return -1;
  if (t.ready_cause != transfer_cause) return t.rank;
  const std::uint32_t x = arrived(static_cast<std::uint32_t>(t.ready_by >> 32),
                                  static_cast<std::uint32_t>(t.ready_by), t.rank, t.ready);
  return x == none ? -1 : of_.transfers()[x].src;
}

/// A thread that never got a task again: who should have sent what the next one lacks.
int blame::by_missing(const state_span& s, int here) const {
  if (!works_[s.lane]) return -1;
  for (const std::uint32_t index : missing_[static_cast<std::size_t>(here)])
    if (const transfer& x = of_.transfers()[index]; x.post_receive < s.end) return x.src;
  return -1;
}

/// A thread that waited for data and has no task to do with them: whose data came last.
int blame::by_last(const state_span& s, int here) const {
  const auto& came = came_[static_cast<std::size_t>(here)];
  const auto after = std::upper_bound(came.begin(), came.end(), s.end, [&](auto time, auto x) {
    return time < of_.transfers()[x].done_receive;
  });
  if (after == came.begin()) return -1;
  const transfer& last = of_.transfers()[*std::prev(after)];
  return last.done_receive > s.begin ? last.src : -1;
}

/// Who sent the datum that it waited for: of several transfers during the wait, the last to end.
int blame::by_handle(const state_span& s, int here) const {
  const std::uint64_t to = place_of(here, static_cast<std::uint32_t>(s.reason));
  auto at = std::upper_bound(
      incoming_.begin(), incoming_.end(), std::tuple{to, s.end},
      [](const auto& key, const incoming& each) { return key < std::tuple{each.to, each.begin}; });
  const transfer* last = nullptr;
  while (at != incoming_.begin()) {
    --at;
    if (at->to != to || at->reach < s.begin) break;  // All before have ended earlier, too.
    const transfer& x = of_.transfers()[at->transfer];
    const bool during = x.end() == never || x.end() >= s.begin;
    if (during && (last == nullptr || last->end() <= x.end())) last = &x;
  }
  return last == nullptr ? -1 : last->src;
}

int blame::rank_of(const state_span& s) const {
  const int here = of_.events().lanes()[s.lane].rank;
  if (here < 0 || here >= of_.ranks()) return -1;
  constexpr std::uint8_t fetch_wait = 1, idle_dependency = 3;
  if (s.reason_kind == 0 && (s.state == fetch_wait || s.state == idle_dependency)) {
    if (const int next = by_next(s); next >= 0) return next;
    if (const int missing = by_missing(s, here); missing >= 0) return missing;
    return s.state == fetch_wait ? by_last(s, here) : -1;
  }
  constexpr std::uint8_t is_task = 1, is_handle = 2, is_rank = 3;
  if (s.reason_kind == is_rank) return static_cast<int>(s.reason);
  if (s.reason_kind == is_handle) return by_handle(s, here);
  if (s.reason_kind != is_task) return -1;
  const std::uint32_t t = of_.find_task(here, s.reason);
  return t == none ? -1 : of_.tasks()[t].rank;
}

}  // namespace deed::viewer
