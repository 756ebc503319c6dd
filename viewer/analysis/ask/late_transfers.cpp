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

struct thread_wait {
  std::uint32_t handle = 0;
  int rank = 0;
  time_range time;
};

/// By the datum.
std::vector<thread_wait> long_waits(const model& of) {
  std::vector<thread_wait> found;
  for (const state_span& s : of.states()) {
    const std::int64_t begin = of.begin_of(s);
    if (!s.is(trace::worker_state::fetch_wait) || s.end - begin <= short_wait) continue;
    const state_reason why = of.reason_of(s);
    if (why.kind == trace::reason_kind::handle && why.number < of.data().size())
      found.push_back({static_cast<std::uint32_t>(why.number),
                       of.events().lanes()[s.lane].rank,
                       {begin, s.end}});
  }
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
  const auto behind = std::ranges::upper_bound(arrivals, coming(wait.rank, wait.time.to, none));
  if (behind == arrivals.begin() || std::get<int>(behind[-1]) != wait.rank) return {};
  const auto [_, came, transfer] = behind[-1];
  const std::uint32_t reader = of.task_for(of.transfers()[transfer]);
  const std::size_t sort = reader == none ? usual.size() - 1 : of.tasks()[reader].codelet;
  const std::int64_t waited = came - wait.time.from;
  if (waited <= std::max(short_wait, usual[std::min(sort, usual.size() - 1)])) return {};
  return late_transfer{transfer, waited};
}

}  // namespace

std::vector<late_transfer> late_transfers(const model& of) {
  const std::vector<thread_wait> waits = long_waits(of);
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
    return std::pair(a.transfer, -a.waited) < std::pair(b.transfer, -b.waited);
  });
  const auto again = std::ranges::unique(found, {}, &late_transfer::transfer);
  found.erase(again.begin(), again.end());
  return found;
}

}  // namespace deed::viewer
