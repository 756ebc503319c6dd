// SPDX-License-Identifier: MIT
#include "analysis/match/numbered_calls.hpp"

#include "analysis/read/event_walk.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace deed::viewer {

bool has_number(const run& of, const event& wait) {
  return static_cast<trace::wait_kind>(of.get(wait, field::what)) == trace::wait_kind::collective &&
         of.get(wait, field::number, trace::nothing) != trace::nothing;
}

bool joins_all(trace::collective_kind kind) {
  using enum trace::collective_kind;
  return kind == all_gather || kind == all_reduce || kind == all_to_all || kind == barrier;
}

/// A broadcast goes down a binomial tree, as the runtime builds it: who is above a member is what
/// is left when its lowest one is taken away.
void for_each_needed(const trace::collective_call& call, std::size_t size, std::size_t member,
                     const std::function<void(std::size_t)>& needs) {
  using enum trace::collective_kind;
  const std::size_t root = call.root;
  if (root >= size) return;
  if (joins_all(call.kind) || ((call.kind == gather || call.kind == reduce) && member == root)) {
    for (std::size_t each = 0; each < size; ++each)
      if (each != member) needs(each);
  } else if (call.kind == scatter && member != root) {
    needs(root);
  } else if (call.kind == broadcast) {
    for (std::size_t place = (member + size - root) % size; place != 0;) {
      place &= place - 1;
      needs((place + root) % size);
    }
  }
}

numbered_calls::numbered_calls(const model& of) {
  everyone_.size = static_cast<std::uint32_t>(of.ranks());
  everyone_.members.resize(everyone_.size);
  std::iota(everyone_.members.begin(), everyone_.members.end(), 0);
  read_calls(of);
  read_waits(of);
  for (auto& [key, each] : found_) {
    index_[{each.group, each.number}] = all_.size();
    all_.push_back(std::move(each));
  }
  found_.clear();
  writers_.clear();
}

/// Two groups may have one number, of which a rank has one; they differ in their members.
const numbered_calls::place* numbered_calls::place_of(const model& of, int rank,
                                                      std::uint32_t group) {
  const auto known = places_.find({rank, group});
  if (known != places_.end()) return &known->second;
  const recorded_group* const said = group == 0 ? &everyone_ : of.group_of(rank, group);
  if (said == nullptr || !said->is_whole()) return nullptr;
  const auto self = std::ranges::find(said->members, rank);
  if (self == said->members.end()) return nullptr;
  const auto [at, added] = numbers_.try_emplace({group, said->members}, groups_.size());
  if (added) groups_.push_back(*said);
  const auto member = static_cast<std::size_t>(self - said->members.begin());
  return &(places_[{rank, group}] = {at->second, member});
}

call_part* numbered_calls::part_of(const model& of, int rank, std::uint64_t word,
                                   std::uint32_t number) {
  const auto what = trace::collective_call::of(word);
  const place* const mine = place_of(of, rank, what.group);
  if (mine == nullptr) return nullptr;
  numbered_call& call = found_[{mine->group, number}];
  if (call.group == nullptr) {
    call.what = what;
    call.number = number;
    call.group = &groups_[mine->group];
    call.parts.resize(call.group->members.size());
  }
  call.alike &= call.what.word() == word;
  return &call.parts[mine->member];
}

void numbered_calls::read_calls(const model& of) {
  const run& r = of.events();
  const auto wanted = [](record what) {
    return what == record::collective_call || what == record::collective_begin ||
           what == record::ledger_step || what == record::borrow;
  };
  walk(r.events(), wanted, [&](std::uint32_t i) {
    const event e = r.events()[i];
    if (e.what == record::borrow) {
      own_writes_.erase(e.lane);
      return;
    }
    if (e.what == record::ledger_step) {
      own_writes_[e.lane] = i;
      return;
    }
    call_part* const mine =
        part_of(of, r.rank_of(e), r.get(e, field::id), r.get32(e, field::number));
    if (mine == nullptr) return;
    if (e.what == record::collective_begin)
      mine->began = e.time;
    else
      add_call(r, e, i, *mine);
  });
  own_writes_.clear();
}

/// What a call writes, its program says just before it, of the same line.
void numbered_calls::add_call(const run& of, const event& call, std::uint32_t index,
                              call_part& into) {
  into.called = call.time;
  into.event = index;
  const auto last = own_writes_.find(call.lane);
  if (last == own_writes_.end()) return;
  const event said = of.events()[last->second];
  const auto change = static_cast<trace::ledger_change>(of.get(said, field::op));
  if (change == trace::ledger_change::write &&
      of.get32(said, field::loc) == of.get32(call, field::loc)) {
    into.writes = of.get32(said, field::handle);
    into.write = last->second;
    writers_[{of.rank_of(call), into.writes}].push_back(&into);
  }
  own_writes_.erase(last);
}

namespace {

/// The task on its own rank with which the borrow of what it writes ended; null: none did, or it
/// had begun before.
const task* task_borrowed(const model& of, const wait_span& wait) {
  const event begin = of.events().events()[wait.event];
  const std::uint32_t handle = of.events().get32(begin, field::id);
  if (static_cast<trace::wait_kind>(wait.what) != trace::wait_kind::handle ||
      handle >= of.data().size())
    return nullptr;
  const auto& writes = of.data()[handle].writes;  // By when their tasks ended.
  const auto task_of = [&](std::uint32_t each) -> const task& {
    return of.tasks()[of.all_accesses()[each].task];
  };
  const int rank = of.events().rank_of(begin);
  auto each = std::ranges::upper_bound(writes, wait.end, {},
                                       [&](std::uint32_t written) { return task_of(written).end; });
  while (each != writes.begin()) {
    const task& last = task_of(*--each);
    if (last.end <= wait.begin) break;
    if (last.rank != rank) continue;  // Of a datum that each rank has one of.
    return last.begin > wait.begin && last.submit != never ? &last : nullptr;
  }
  return nullptr;
}

}  // namespace

/// The last call before a moment that is to write a datum of a rank.
call_part* numbered_calls::part_behind(int rank, std::uint32_t handle, std::int64_t when) const {
  const auto calls = writers_.find({rank, handle});
  if (calls == writers_.end()) return nullptr;
  const auto behind = std::ranges::upper_bound(calls->second, when, {},
                                               [](const call_part* each) { return each->called; });
  return behind == calls->second.begin() ? nullptr : *std::prev(behind);
}

/// The last call that is to write what a task reads.
call_part* numbered_calls::part_before(const model& of, const task& last) const {
  call_part* found = nullptr;
  for (const access& each : of.accesses(last)) {
    call_part* const part =
        each.reads() ? part_behind(last.rank, each.handle, last.submit) : nullptr;
    if (part != nullptr && (found == nullptr || found->called < part->called)) found = part;
  }
  return found;
}

/// Who borrows what a call is to write waits for that call.
call_part* numbered_calls::part_awaited(const model& of, const wait_span& wait) {
  const run& r = of.events();
  const event begin = r.events()[wait.event];
  if (has_number(r, begin))
    return part_of(of, r.rank_of(begin), r.get(begin, field::id), r.get32(begin, field::number));
  if (static_cast<trace::wait_kind>(wait.what) != trace::wait_kind::handle) return nullptr;
  return part_behind(r.rank_of(begin), r.get32(begin, field::id), wait.begin);
}

/// Of several the first: behind it the call was complete. Who borrows what a task writes waits for
/// the call that writes what the task reads, until that can run.
void numbered_calls::read_waits(const model& of) {
  for (std::uint32_t i = 0; i < of.waits().size(); ++i) {
    call_part* mine = part_awaited(of, of.waits()[i]);
    std::int64_t until = never;
    if (mine == nullptr && !writers_.empty())
      if (const task* const last = task_borrowed(of, of.waits()[i]); last != nullptr) {
        mine = part_before(of, *last);
        until = last->ready != never ? last->ready : last->begin;
      }
    if (mine == nullptr || mine->wait != none) continue;
    mine->wait = i;
    mine->until = until;
  }
}

bool numbered_calls::never_called(const model& of, const numbered_call& call,
                                  std::size_t member) const {
  const call_part& mine = call.parts[member];
  if (mine.called != never || mine.began != never || mine.wait != none) return false;
  const int me = call.rank(member);
  const recorded_group* const group = of.group_of(me, call.what.group);
  if (group != nullptr && !group->is_whole()) return false;  // Which group its calls were of?
  const rank_info& rank = of.events().ranks()[static_cast<std::size_t>(me)];
  if (!rank.present || rank.has_gaps) return false;
  if (rank.from == 0) return true;
  // Ranks number their calls one by one: this one is the next behind one that is kept.
  if (call.number == 0) return false;
  const auto before = index_.find({call.group, call.number - 1});
  return before != index_.end() && all_[before->second].parts[member].called != never;
}

}  // namespace deed::viewer
