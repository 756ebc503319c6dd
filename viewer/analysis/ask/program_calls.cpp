// SPDX-License-Identifier: MIT
#include "analysis/ask/program_calls.hpp"

#include <deed/trace/events.hpp>

#include "analysis/read/event_walk.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <utility>

namespace deed::viewer {

program_calls::program_calls(const model& of) : of_(of) {
  const run& r = of.events();
  const auto wanted = [](record what) {
    switch (what) {
      case record::task_submit:
      case record::wait_begin:
      case record::wait_end:
      case record::borrow:
      case record::collective_call:
      case record::ledger_step:
      case record::xfer_post:
        return true;
      default:
        return false;
    }
  };
  walk(r.events(), wanted, [&](std::uint32_t i) {
    const event e = r.events()[i];
    if (!r.lanes()[e.lane].is_program()) return;
    const int rank = r.rank_of(e);
    of_rank& mine = ranks_[rank];
    mine.lane = e.lane;
    const std::uint32_t loc = line_of(e, mine);
    if (of.is_place(rank, loc)) mine.calls.push_back({e.time, loc});
  });
}

/// A wait has that of its begin when it ends. None: no line, as of waits of the session itself.
std::uint32_t program_calls::line_of(const event& e, of_rank& mine) const {
  const run& r = of_.events();
  if (e.what == record::xfer_post)
    return posts_message(r, e) ? trace::message_call::of(r.get(e, field::for_task)).loc : none;
  if (e.what == record::wait_end) {
    if (mine.waits.empty()) return none;
    const std::uint32_t loc = mine.waits.back();
    mine.waits.pop_back();
    return loc;
  }
  const std::uint32_t loc = r.get32(e, field::loc);
  if (e.what == record::wait_begin) mine.waits.push_back(loc);
  return loc;
}

/// Calls `piece(before, behind, time)` for what lies between two calls, as far as it is in `when`:
/// their lines, or none.
template <class Piece>
void program_calls::for_each_gap(const of_rank& mine, time_range when, Piece&& piece) const {
  auto next = std::ranges::upper_bound(mine.calls, when.from, {}, &call::time);
  for (std::int64_t from = when.from; from < when.to; ++next) {
    const bool last = next == mine.calls.end();
    const std::int64_t to = last ? when.to : std::min(when.to, next->time);
    const std::uint32_t before = next == mine.calls.begin() ? none : std::prev(next)->loc;
    if (from < to) piece(before, last ? none : next->loc, time_range{from, to});
    from = to;
    if (last) break;
  }
}

std::vector<time_between_calls> program_calls::between(
    const std::map<int, std::vector<time_range>>& when) const {
  const run& r = of_.events();
  using key = std::tuple<int, std::uint32_t, std::uint32_t, std::uint32_t>;  // The phase's name.
  std::map<key, time_between_calls> found;
  for (const auto& [rank, times] : when) {
    const auto mine = ranks_.find(rank);
    if (mine == ranks_.end()) continue;
    for (const time_range& each : times)
      for_each_gap(mine->second, each, [&](std::uint32_t from, std::uint32_t to, time_range gap) {
        const phase_span* const phase = phase_at(mine->second.lane, gap.from);
        const std::uint32_t name =
            phase == nullptr ? none : r.get32(r.events()[phase->event], field::name);
        time_between_calls& sum = found[{rank, from, to, name}];
        if (sum.times++ == 0) sum = {rank, from, to, phase, true, 1, 0};
        sum.in_one &= sum.phase == phase;
        sum.time += gap.to - gap.from;
      });
  }
  std::vector<time_between_calls> all;
  for (const auto& [_, each] : found) all.push_back(each);
  std::ranges::stable_sort(all, std::ranges::greater{}, &time_between_calls::time);
  return all;
}

std::int64_t program_calls::between_far_calls(int rank, time_range when) const {
  constexpr std::int64_t far = 100'000;  // As long as a thread may take that the system wakes.
  const auto mine = ranks_.find(rank);
  if (mine == ranks_.end()) return 0;
  std::int64_t sum = 0;
  for_each_gap(mine->second, when, [&](std::uint32_t, std::uint32_t, time_range gap) {
    if (gap.to - gap.from >= far) sum += gap.to - gap.from;
  });
  return sum;
}

const phase_span* program_calls::phase_at(std::uint32_t lane, std::int64_t moment) const {
  const auto here = of_.phases_of(lane);
  const auto behind = std::ranges::upper_bound(here, moment, {}, &phase_span::begin);
  const phase_span* phase = behind == here.begin() ? nullptr : &*std::prev(behind);
  while (phase != nullptr && phase->end <= moment) phase = of_.around(*phase);
  return phase;
}

std::string program_calls::say_phase(const time_between_calls& of) const {
  if (of.phase == nullptr) return {};
  if (of.in_one) return of_.phase_name(*of.phase);
  const run& r = of_.events();
  return of_.text(of.rank, r.get32(r.events()[of.phase->event], field::name));
}

std::string program_calls::say(const time_between_calls& of) const {
  const std::string phase = say_phase(of);
  const std::string where =
      of.from == none ? "before " + (of.to == none ? "its first call" : of_.place(of.rank, of.to))
      : of.to == none ? "behind " + of_.place(of.rank, of.from)
      : of.from == of.to
          ? "from " + of_.place(of.rank, of.from) + " to there again"
          : "between " + of_.place(of.rank, of.from) + " and " + of_.place(of.rank, of.to);
  return where + (phase.empty() ? "" : ", in " + phase);
}

table program_calls::say_all(const std::string& title, const std::vector<time_between_calls>& all,
                             std::size_t most) const {
  table rows{title, {"rank", "what lies", "times", "time"}, {}};
  for (const time_between_calls& each : all) {
    if (rows.rows.size() == most) break;
    rows.rows.push_back(
        {std::to_string(each.rank), say(each), say_count(each.times), say_time(each.time)});
  }
  rows.left_out = all.size() - rows.rows.size();
  return rows;
}

}  // namespace deed::viewer
