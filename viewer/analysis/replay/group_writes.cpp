// SPDX-License-Identifier: MIT
#include "analysis/replay/group_writes.hpp"

#include <deed/base/random.hpp>
#include <deed/trace/events.hpp>

#include "analysis/match/meetings.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

namespace deed::viewer {

/// Each rank says at the end of an epoch how many changes it knows of. An epoch that a rank did not
/// end says nothing.
bool guarded(const run& r, const group_writes& beside) {
  std::map<std::pair<int, std::uint64_t>, std::uint64_t> last;  // By rank and epoch.
  std::map<int, std::uint64_t> newest;
  for (std::size_t i = 0; i < r.events().size(); ++i) {
    if (r.events().what(i) != record::ledger_digest) continue;
    const event e = r.events()[i];
    const std::uint64_t step = r.get(e, field::step, trace::no_step);
    if (step == trace::no_step) continue;
    const std::uint64_t epoch = r.get(e, field::epoch);
    last[{r.rank_of(e), epoch}] = beside.common(r.rank_of(e), step);
    newest[r.rank_of(e)] = epoch;
  }
  std::map<std::uint64_t, std::uint64_t> of_epoch;
  for (const auto& [key, step] : last) {
    const auto& [rank, epoch] = key;
    if (epoch == newest[rank] && r.ranks()[static_cast<std::size_t>(rank)].is_left_open()) continue;
    if (of_epoch.try_emplace(epoch, step).first->second != step) return true;
  }
  return false;
}

group_writes::group_writes(const model& of) {
  collect(of);
  if (any() && guarded(of.events(), *this)) forget();
}

void group_writes::forget() {
  of_rank_.clear();
  places_.clear();
  data_.clear();
}

void group_writes::collect(const model& of) {
  const run& r = of.events();
  const auto& calls = of.met().calls().all();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].parts.size() == static_cast<std::size_t>(of.ranks())) continue;  // All count it.
    for (std::size_t member = 0; member < calls[i].parts.size(); ++member) {
      const call_part& part = calls[i].parts[member];
      if (part.write == none || part.writes >= of.data().size()) continue;
      const std::uint64_t step = r.get(r.events()[part.write], field::step, trace::no_step);
      if (step == trace::no_step || of.data()[part.writes].is_per_rank()) continue;
      of_rank_[calls[i].rank(member)].push_back({step, 0, 0, part.write, i});
      data_.insert(part.writes);
    }
  }
  for (auto& [rank, mine] : of_rank_) std::ranges::sort(mine, {}, &one::step);
  if (!order(calls.size())) forget();
}

/// A call comes behind all that a member made before it. @return whether that is one order.
bool group_writes::order(std::size_t calls) {
  std::vector<std::vector<int>> members(calls);
  std::map<int, std::size_t> next;
  for (const auto& [rank, mine] : of_rank_) {
    next[rank] = 0;
    for (const one& each : mine) members[each.call].push_back(rank);
  }
  std::vector<std::size_t> ready(calls);  // Members that come to it next.
  std::deque<std::size_t> todo;
  const auto come = [&](int rank) {
    const auto& mine = of_rank_.at(rank);
    if (next[rank] == mine.size()) return;
    const std::size_t call = mine[next[rank]].call;
    if (++ready[call] == members[call].size()) todo.push_back(call);
  };
  for (const auto& [rank, mine] : of_rank_) come(rank);
  std::uint64_t place = 0;
  for (; !todo.empty(); todo.pop_front()) {
    ++place;
    for (const int rank : members[todo.front()]) {
      auto& mine = of_rank_.at(rank);
      const std::size_t at = next[rank]++;
      mine[at].place = places_[mine[at].event] = place;
      mine[at].which = mix(at == 0 ? 0 : mine[at - 1].which, place);
      come(rank);
    }
  }
  return std::ranges::all_of(
      of_rank_, [&](const auto& each) { return next[each.first] == each.second.size(); });
}

std::size_t group_writes::made(int rank, std::uint64_t step) const {
  const auto mine = of_rank_.find(rank);
  if (mine == of_rank_.end()) return 0;
  const auto behind = std::ranges::upper_bound(mine->second, step, {}, &one::step);
  return static_cast<std::size_t>(behind - mine->second.begin());
}

std::uint64_t group_writes::common(int rank, std::uint64_t step) const {
  return step - made(rank, step);
}

std::uint64_t group_writes::place(int rank, std::uint64_t step) const {
  const std::size_t count = made(rank, step);
  return count == 0 ? 0 : of_rank_.at(rank)[count - 1].place;
}

std::uint64_t group_writes::which(int rank, std::uint64_t step) const {
  const std::size_t count = made(rank, step);
  return count == 0 ? 0 : of_rank_.at(rank)[count - 1].which;
}

}  // namespace deed::viewer
