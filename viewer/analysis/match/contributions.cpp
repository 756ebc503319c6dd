// SPDX-License-Identifier: MIT
#include "analysis/match/contributions.hpp"

#include <deed/trace/events.hpp>

#include <algorithm>
#include <iterator>

namespace deed::viewer {

/// The call that closes a reduction makes the next version of what tasks contribute to.
contributions::contributions(const model& of) {
  constexpr auto reduces = static_cast<std::uint32_t>(trace::access_kind::reduce);
  for (const access& a : of.all_accesses()) {
    if (a.mode != reduces || a.task >= of.tasks().size()) continue;
    const task& t = of.tasks()[a.task];
    if (t.end != never) add(t.rank, a.handle, {a.task, none, t.end, a.ver_in + 1});
  }
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i)
    if (const transfer& x = of.transfers()[i];
        x.is(trace::transfer_reason::reduce) && x.done_receive != never)
      add(x.dst, x.handle, {none, i, x.done_receive, x.version});
  std::vector<bool> reduced(of.data().size());
  for (const auto& [version, each] : versions_)
    if (std::get<1>(version) < reduced.size()) reduced[std::get<1>(version)] = true;
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i)
    if (const transfer& x = of.transfers()[i];
        x.handle < reduced.size() && reduced[x.handle] && !x.is_message() &&
        !x.is(trace::transfer_reason::reduce) && x.done_receive != never)
      values_[{x.dst, x.handle}].push_back({none, i, x.done_receive, x.version});
  for (by_rank_and_datum* const all : {&all_, &values_})
    for (auto& [datum, each] : *all) std::ranges::sort(each, {}, &contribution::at);
}

void contributions::add(int rank, std::uint32_t handle, const contribution& each) {
  of_version& mine = versions_[{rank, handle, each.version}];
  mine.all.push_back(each);
  if (each.at > mine.last.at) mine.last = each;
  contribution& of_kind = each.task != none ? mine.own : mine.came;
  if (each.at > of_kind.at) of_kind = each;
  all_[{rank, handle}].push_back(each);
}

contribution contributions::last_of(int rank, std::uint32_t handle, std::uint32_t version) const {
  const auto found = versions_.find({rank, handle, version});
  return found == versions_.end() ? contribution() : found->second.last;
}

std::uint32_t contributions::last_task(int rank, std::uint32_t handle,
                                       std::uint32_t version) const {
  const auto found = versions_.find({rank, handle, version});
  return found == versions_.end() ? none : found->second.own.task;
}

std::uint32_t contributions::last_arrival(int rank, std::uint32_t handle,
                                          std::uint32_t version) const {
  const auto found = versions_.find({rank, handle, version});
  return found == versions_.end() ? none : found->second.came.transfer;
}

std::span<const contribution> contributions::all_of(int rank, std::uint32_t handle,
                                                    std::uint32_t version) const {
  const auto found = versions_.find({rank, handle, version});
  return found == versions_.end() ? std::span<const contribution>() : found->second.all;
}

contribution contributions::last_until(int rank, std::uint32_t handle, std::int64_t moment) const {
  return last_in(all_, rank, handle, moment);
}

contribution contributions::last_value(int rank, std::uint32_t handle, std::int64_t moment) const {
  const contribution own = last_until(rank, handle, moment);
  const contribution came = last_in(values_, rank, handle, moment);
  return came.at > own.at ? came : own;
}

contribution contributions::last_in(const by_rank_and_datum& all, int rank, std::uint32_t handle,
                                    std::int64_t moment) {
  const auto found = all.find({rank, handle});
  if (found == all.end()) return {};
  const auto behind = std::ranges::upper_bound(found->second, moment, {}, &contribution::at);
  return behind == found->second.begin() ? contribution() : *std::prev(behind);
}

}  // namespace deed::viewer
