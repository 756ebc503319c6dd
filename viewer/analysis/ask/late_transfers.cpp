// SPDX-License-Identifier: MIT
#include "analysis/ask/late_transfers.hpp"

#include <deed/trace/events.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace deed::viewer {
namespace {

using datum_on_rank = std::pair<int, std::uint32_t>;  // A rank, and a datum there.

struct thread_wait {
  datum_on_rank at;
  time_range time;
};

struct copy_arrival {
  datum_on_rank at;
  std::int64_t time = 0;
  std::uint32_t transfer = none;
};

std::vector<thread_wait> long_waits(const model& of) {
  std::vector<thread_wait> found;
  for (const state_span& s : of.states()) {
    const std::int64_t begin = of.begin_of(s);
    if (!s.is(trace::worker_state::fetch_wait) || s.end - begin <= short_wait) continue;
    const state_reason why = of.reason_of(s);
    if (why.kind == trace::reason_kind::handle && why.number < of.data().size())
      found.push_back({{of.events().lanes()[s.lane].rank, static_cast<std::uint32_t>(why.number)},
                       {begin, s.end}});
  }
  return found;
}

/// What came where somebody waited, by place and time.
std::vector<copy_arrival> arrivals_for(const std::vector<thread_wait>& waits, const model& of) {
  std::set<datum_on_rank> awaited;
  for (const thread_wait& each : waits) awaited.insert(each.at);
  std::vector<copy_arrival> found;
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i) {
    const transfer& x = of.transfers()[i];
    if (x.end() != never && awaited.contains({x.dst, x.handle}))
      found.push_back({{x.dst, x.handle}, x.end(), i});
  }
  std::ranges::sort(found, {},
                    [](const copy_arrival& each) { return std::pair(each.at, each.time); });
  return found;
}

}  // namespace

std::vector<late_transfer> late_transfers(const model& of) {
  const std::vector<thread_wait> waits = long_waits(of);
  if (waits.empty()) return {};
  const std::vector<std::int64_t> usual = usual_times(of);
  const std::vector<copy_arrival> arrivals = arrivals_for(waits, of);
  std::map<std::uint32_t, std::int64_t> waited;
  for (const thread_wait& each : waits) {
    const auto behind = std::ranges::upper_bound(
        arrivals, std::pair(each.at, each.time.to), {},
        [](const copy_arrival& one) { return std::pair(one.at, one.time); });
    if (behind == arrivals.begin() || behind[-1].at != each.at) continue;
    const copy_arrival& last = behind[-1];
    const std::uint32_t reader = of.task_for(of.transfers()[last.transfer]);
    const std::size_t sort = reader == none ? usual.size() - 1 : of.tasks()[reader].codelet;
    const std::int64_t time = last.time - each.time.from;
    if (time <= std::max(short_wait, usual[std::min(sort, usual.size() - 1)])) continue;
    std::int64_t& longest = waited[last.transfer];
    longest = std::max(longest, time);
  }
  std::vector<late_transfer> found;
  for (const auto& [transfer, time] : waited) found.push_back({transfer, time});
  return found;
}

}  // namespace deed::viewer
