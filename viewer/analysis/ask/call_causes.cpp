// SPDX-License-Identifier: MIT
#include "analysis/ask/call_causes.hpp"

#include <deed/trace/events.hpp>

#include "analysis/match/meetings.hpp"
#include "analysis/read/event_walk.hpp"

#include <algorithm>
#include <iterator>

namespace deed::viewer {

call_causes::call_causes(const model& of)
    : of_(of), calls_(of.met().calls()), ranks_(static_cast<std::size_t>(std::max(0, of.ranks()))) {
  for (std::uint32_t i = 0; i < calls_.all().size(); ++i) read_call(i);
  if (std::ranges::count(on_data_, true) != 0) {
    find_tasks();
    find_insertions();
  }
  for (of_rank& each : ranks_) {
    std::ranges::sort(each.complete, {}, &std::pair<std::int64_t, place_in_call>::first);
    std::ranges::sort(each.borrows, {}, &borrow_in_call::wait);
  }
}

void call_causes::read_call(std::uint32_t call) {
  const run& r = of_.events();
  const numbered_call& made = calls_.all()[call];
  const bool on_data =
      std::ranges::any_of(made.parts, [](const call_part& each) { return each.writes != none; });
  on_data_.push_back(on_data);
  last_.push_back(joins_all(made.what.kind) ? find_last({call, 0}) : last_to_come{});
  for (std::size_t member = 0; on_data && member < made.parts.size(); ++member) {
    const call_part& each = made.parts[member];
    const place_in_call here{call, member};
    of_rank& mine = ranks_[static_cast<std::size_t>(made.rank(member))];
    if (const last_to_come last = last_of(here); each.called != never && last.rank >= 0)
      mine.complete.emplace_back(last.at, here);
    if (each.writes == none) continue;
    const std::uint32_t version = r.get32(r.events()[each.write], field::version);
    brings_[{made.rank(member), each.writes, version}] = here;
    if (each.wait == none) continue;
    const wait_span& wait = of_.waits()[each.wait];
    if (each.until == never) waits_[each.wait] = here;
    mine.borrows.push_back(
        {each.wait, {wait.begin, each.until == never ? wait.end : each.until}, here});
  }
}

void call_causes::find_tasks() {
  for (std::uint32_t i = 0; i < of_.tasks().size(); ++i) {
    const task& t = of_.tasks()[i];
    const auto is_given = [&](const access& a) {
      return a.writes() && a.handle < of_.data().size() && of_.data()[a.handle].is_per_rank();
    };
    if (t.end != never && std::ranges::any_of(of_.accesses(t), is_given))
      ended_[t.rank].emplace_back(t.end, i);
  }
  for (auto& [rank, each] : ended_) std::ranges::sort(each);
}

/// On virtual ranks a program may insert tasks and call in one moment: their order is in the
/// records.
void call_causes::find_insertions() {
  const run& r = of_.events();
  std::map<int, std::uint64_t> inserted;
  const auto wanted = [](record what) {
    return what == record::task_submit || what == record::collective_call;
  };
  walk(r.events(), wanted, [&](std::uint32_t i) {
    const event e = r.events()[i];
    std::uint64_t& mine = inserted[r.rank_of(e)];
    if (e.what == record::task_submit)
      mine = r.get(e, field::task) + 1;
    else
      inserted_[i] = mine;
  });
}

place_in_call call_causes::borrowed_in(std::uint32_t wait) const {
  const auto found = waits_.find(wait);
  return found == waits_.end() ? place_in_call{} : found->second;
}

place_in_call call_causes::that_released(const task& t) const {
  if (t.ready == never ||
      static_cast<trace::ready_cause>(t.ready_cause) != trace::ready_cause::user)
    return {};
  place_in_call last;
  std::int64_t came = never;
  for (const access& a : of_.accesses(t)) {
    if (!a.reads()) continue;
    const auto found = brings_.find({t.rank, a.handle, a.ver_in});
    if (found == brings_.end()) continue;
    const std::int64_t at = last_of(found->second).at;
    if (at > came && at <= t.ready) last = found->second, came = at;
  }
  return last;
}

std::span<const borrow_in_call> call_causes::borrows(int rank) const {
  return ranks_[static_cast<std::size_t>(rank)].borrows;
}

last_to_come call_causes::last_until(int rank, std::int64_t moment) const {
  const auto& mine = ranks_[static_cast<std::size_t>(rank)].complete;
  const auto behind =
      std::ranges::upper_bound(mine, moment, {}, &std::pair<std::int64_t, place_in_call>::first);
  if (behind == mine.begin()) return {};
  last_to_come last = last_of(std::prev(behind)->second);
  last.place = std::prev(behind)->second;
  return last;
}

last_to_come call_causes::last_of(const place_in_call& place) const {
  const bool joins = joins_all(calls_.all()[place.call].what.kind);
  return joins ? last_[place.call] : find_last(place);
}

last_to_come call_causes::find_last(const place_in_call& place) const {
  const numbered_call& call = calls_.all()[place.call];
  last_to_come last;
  bool is_whole = call.alike;
  const auto take = [&](std::size_t member) {
    const std::int64_t began = call.parts[member].began;
    is_whole &= began != never;
    if (began > last.at) last = {{place.call, member}, call.rank(member), began};
  };
  take(place.member);
  for_each_needed(call.what, call.parts.size(), place.member, take);
  return is_whole ? last : last_to_come{};
}

before_part call_causes::before(const place_in_call& place) const {
  const numbered_call& call = calls_.all()[place.call];
  const call_part& part = call.parts[place.member];
  if (!on_data_[place.call] || part.called == never) return {};
  const int rank = call.rank(place.member);
  const before_part by_task = task_before(rank, part), by_call = call_before(rank, part);
  return by_call.at > by_task.at ? by_call : by_task;
}

before_part call_causes::task_before(int rank, const call_part& part) const {
  const auto mine = ended_.find(rank);
  const auto inserted = inserted_.find(part.event);
  if (mine == ended_.end() || inserted == inserted_.end()) return {};
  constexpr int most = 10'000;  // Tasks that were inserted behind it may have run before it.
  auto each = std::ranges::upper_bound(mine->second, std::pair{part.began, none});
  for (int looked = 0; looked < most && each != mine->second.begin(); ++looked) {
    const auto& [end, task] = *--each;
    if (end <= part.called) break;
    if (of_.tasks()[task].number < inserted->second) return {.task = task, .at = end};
  }
  return {};
}

/// Of those that the rank made before and that wrote something there.
before_part call_causes::call_before(int rank, const call_part& part) const {
  constexpr int most = 10'000;  // As of tasks.
  const auto& mine = ranks_[static_cast<std::size_t>(rank)].complete;
  auto each = std::ranges::upper_bound(mine, part.began, {},
                                       &std::pair<std::int64_t, place_in_call>::first);
  for (int looked = 0; looked < most && each != mine.begin(); ++looked) {
    const auto& [at, place] = *--each;
    if (at <= part.called) break;
    const call_part& other = calls_.all()[place.call].parts[place.member];
    if (other.writes != none && other.event < part.event) return {.call = place, .at = at};
  }
  return {};
}

}  // namespace deed::viewer
