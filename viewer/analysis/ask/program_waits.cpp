// SPDX-License-Identifier: MIT
#include "analysis/ask/program_waits.hpp"

#include <deed/trace/events.hpp>

#include "analysis/ask/program_stays.hpp"
#include "analysis/match/contributions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace deed::viewer {

std::pair<std::int64_t, std::uint32_t> program_waits::by_time::last(std::int64_t until) {
  if (!std::exchange(is_sorted_, true)) std::ranges::sort(all_);
  const auto after = std::ranges::upper_bound(all_, std::pair{until, none});
  return after == all_.begin() ? std::pair{never, none} : *std::prev(after);
}

program_waits::program_waits(const model& of, const call_causes& calls)
    : of_(of), calls_(calls), meetings_(of.met()) {
  for (const wait_span& each : of.waits()) {
    const lane& where = of.events().lanes()[each.lane];
    if (each.ended && where.is_program()) of_rank_[where.rank].push_back(&each);
  }
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i)
    if (const task& t = of.tasks()[i]; t.begin != never && t.end != never) {
      ends_.add(t.end, i);
      ends_of_rank_[t.rank].add(t.end, i);
      for (const access& a : of.accesses(t))
        if (a.writes() && a.handle < of.data().size() && of.data()[a.handle].is_per_rank())
          written_[{t.rank, a.handle}].add(t.end, i);
    }
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i) {
    const transfer& x = of.transfers()[i];
    if (x.done_send != never) moved_[x.src].add(x.done_send, i);
    if (x.done_receive != never) moved_[x.dst].add(x.done_receive, i);
  }
  for (int rank = 0; rank < of.ranks(); ++rank) met_[rank] = meetings_.of_rank(rank).size();
}

std::optional<held_up> program_waits::before(int rank, std::int64_t moment) {
  const std::optional<held_up> wait = wait_before(rank, moment);
  const auto meetings = meetings_.of_rank(rank);
  std::size_t& left = met_[rank];
  while (left != 0 && meetings[left - 1].time.to > moment) --left;
  if (left != 0 && (!wait || meetings[left - 1].time.to >= wait->end)) {
    const meeting_stay& each = meetings[--left];
    held_up held{none, none, each.awaited, each.since, each.time.to};
    if (each.call != none) held.call = {each.call, each.member};
    return held;
  }
  if (wait) --left_[rank];
  return wait;
}

bool program_waits::keeps(int rank, std::int64_t moment) const {
  const auto meetings = meetings_.of_rank(rank);
  const auto end = [](const meeting_stay& each) { return each.time.to; };
  if (std::ranges::binary_search(meetings, moment, {}, end)) return false;  // Its stay ends so.
  const auto mine = of_rank_.find(rank);
  if (mine == of_rank_.end()) return false;
  const auto behind = std::ranges::upper_bound(mine->second, moment, {}, &wait_span::begin);
  return behind != mine->second.begin() && (*std::prev(behind))->end > moment;
}

/// Of those that are left, the last one before a moment; forgets what came after it, and what held
/// nobody up.
std::optional<held_up> program_waits::wait_before(int rank, std::int64_t moment) {
  const auto mine = of_rank_.find(rank);
  if (mine == of_rank_.end()) return {};
  const auto& waits = mine->second;
  std::size_t& left = left_.try_emplace(rank, waits.size()).first->second;
  for (; left != 0; --left) {
    const wait_span& wait = *waits[left - 1];
    if (wait.end > moment) continue;
    if (const auto found = why(wait, rank)) return found;
  }
  return {};
}

std::optional<held_up> program_waits::why(const wait_span& wait, int rank) {
  if (static_cast<trace::wait_kind>(wait.what) == trace::wait_kind::request)
    return by_message(wait, rank);
  if (static_cast<trace::wait_kind>(wait.what) == trace::wait_kind::clocks) {
    if (wait.end <= wait.begin) return {};
    return held_up{none, none, rank, wait.begin, wait.end, none, true};
  }
  const std::uint32_t last = last_task(wait);
  const std::int64_t ended = last == none ? wait.begin : of_.tasks()[last].end;
  if (const std::uint32_t moved = last_transfer(wait, rank, ended); moved != none) {
    const transfer& x = of_.transfers()[moved];
    return held_up{none, moved, -1, x.src == rank ? x.done_send : x.done_receive, wait.end};
  }
  if (const auto held = in_call(wait, ended)) return held;
  if (const auto held = in_reduction(wait, rank, ended)) return held;
  if (last != none && ended > wait.begin) return held_up{last, none, -1, ended, wait.end};
  return in_borrow(wait, rank);
}

/// Of a borrow of what a call brings: no task had to write that afterwards.
std::optional<held_up> program_waits::in_call(const wait_span& wait, std::int64_t behind) const {
  const auto index = static_cast<std::uint32_t>(&wait - of_.waits().data());
  const place_in_call place = calls_.borrowed_in(index);
  if (place.call == none) return {};
  const last_to_come last = calls_.last_of(place);
  if (last.at <= wait.begin || last.at < behind || last.at > wait.end) return {};
  held_up held{none, none, last.rank, last.at, wait.end};
  held.call = place;
  return held;
}

/// Of a borrow of the value of a reduction: what came last to it here, or the value, from another
/// rank.
std::optional<held_up> program_waits::in_reduction(const wait_span& wait, int rank,
                                                   std::int64_t behind) const {
  if (static_cast<trace::wait_kind>(wait.what) != trace::wait_kind::handle) return {};
  const run& r = of_.events();
  const std::uint32_t handle = r.get32(r.events()[wait.event], field::id);
  const contribution last = of_.contributed().last_value(rank, handle, wait.end);
  if (last.at <= std::max(wait.begin, behind)) return {};
  return held_up{last.task, last.transfer, -1, last.at, wait.end};
}

/// What made the value come is not recorded.
std::optional<held_up> program_waits::in_borrow(const wait_span& wait, int rank) const {
  if (static_cast<trace::wait_kind>(wait.what) != trace::wait_kind::handle) return {};
  if (wait.end <= wait.begin) return {};
  const run& r = of_.events();
  return held_up{none,       none,     rank,
                 wait.begin, wait.end, r.get32(r.events()[wait.event], field::id)};
}

std::optional<held_up> program_waits::by_message(const wait_span& wait, int rank) const {
  const std::uint32_t message = message_of_wait(of_, wait);
  if (message == none) return {};
  const transfer& x = of_.transfers()[message];
  const std::int64_t done = x.src == rank ? x.done_send : x.done_receive;
  if (done == never || done <= wait.begin) return {};
  return held_up{none, message, -1, std::min(done, wait.end), wait.end};
}

/// The transfer with which a wait for all ended; `none`: tasks ended behind all of them.
std::uint32_t program_waits::last_transfer(const wait_span& wait, int rank,
                                           std::int64_t tasks_ended) {
  const auto mine = moved_.find(rank);
  if (mine == moved_.end() || static_cast<trace::wait_kind>(wait.what) != trace::wait_kind::all)
    return none;
  const auto [ended, last] = mine->second.last(wait.end);
  return last != none && ended > std::max(wait.begin, tasks_ended) ? last : none;
}

/// That ended before the wait did, of those that it was for.
std::uint32_t program_waits::last_task(const wait_span& wait) {
  const run& r = of_.events();
  const auto kind = static_cast<trace::wait_kind>(wait.what);
  if (kind == trace::wait_kind::all) return ends_.last(wait.end).second;
  if (kind == trace::wait_kind::window)
    return ends_of_rank_[r.lanes()[wait.lane].rank].last(wait.end).second;
  if (kind != trace::wait_kind::handle) return none;
  return last_writer(r.lanes()[wait.lane].rank, r.get32(r.events()[wait.event], field::id),
                     wait.end);
}

std::uint32_t program_waits::last_writer(int rank, std::uint32_t handle, std::int64_t until) {
  if (handle >= of_.data().size()) return none;
  if (of_.data()[handle].is_per_rank()) {
    const auto mine = written_.find({rank, handle});
    return mine == written_.end() ? none : mine->second.last(until).second;
  }
  const auto& writes = of_.data()[handle].writes;
  const auto after = std::ranges::upper_bound(writes, until, {}, [&](std::uint32_t each) {
    return of_.tasks()[of_.all_accesses()[each].task].end;
  });
  return after == writes.begin() ? none : of_.all_accesses()[*std::prev(after)].task;
}

}  // namespace deed::viewer
