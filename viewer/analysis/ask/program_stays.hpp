// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/events.hpp>

#include "analysis/model.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

/// @file
/// Where the programs of ranks stand, as they recorded it.

namespace deed::viewer {

/// A program that waits for other programs, and not for tasks.
struct program_stay {
  time_range time;
  std::uint8_t what = 0;         ///< A `trace::wait_kind` that has a name of its own, as below.
  std::uint32_t message = none;  ///< The transfer that a request waits for, as below.
  bool ended = true;             ///< Its end is recorded.
};
/// The explicit message that the wait for a request is for: one that comes, or one that its rank
/// sends. `none`: another wait, or a recording that does not say.
[[nodiscard]] std::uint32_t message_of_wait(const model& of, const wait_span& wait);
/// When the program goes on behind a wait: behind that for the end of its session it has returned.
[[nodiscard]] std::int64_t end_of_wait(const model& of, const wait_span& wait);
/// By rank, in order, none of them in two.
[[nodiscard]] std::vector<std::vector<program_stay>> stays_of_programs(const model& of);
/// Those of the program beside a thread.
[[nodiscard]] std::span<const program_stay> stays_beside(
    const model& of, const std::vector<std::vector<program_stay>>& all, std::uint32_t lane);
/// Whether a thread in a state is said to be where its program stands: one that has nothing to do.
/// One that waits for data is in the wait for a request, which may be for them; elsewhere a task
/// is, as where tasks wait for others while the program stands in `borrow` for the last of them.
[[nodiscard]] inline bool is_with_program(const state_span& state, trace::wait_kind what) {
  using enum trace::worker_state;
  if (what == trace::wait_kind::handle) return state.is(idle_no_task);
  return state.is(idle_no_task) || state.is(idle_dependency) ||
         (state.is(fetch_wait) && what == trace::wait_kind::request);
}
/// Calls `piece(begin, end, stay)` for the time in which a thread was in a state, in order: of one
/// without a task in pieces, where the program of its rank stood meanwhile. Null: nowhere.
template <class Piece>
void cut_by_stays(const state_span& state, time_range time, std::span<const program_stay> stays,
                  Piece&& piece) {
  const bool waits = is_with_program(state, trace::wait_kind::request);
  const auto end = [](const program_stay& each) { return each.time.to; };
  std::int64_t from = time.from;
  for (auto each = waits ? std::ranges::upper_bound(stays, time.from, {}, end) : stays.end();
       each != stays.end() && each->time.from < time.to; ++each) {
    const std::int64_t came = std::max(each->time.from, from),
                       left = std::min(each->time.to, time.to);
    if (came >= left || !is_with_program(state, static_cast<trace::wait_kind>(each->what)))
      continue;
    if (from < came) piece(from, came, static_cast<const program_stay*>(nullptr));
    piece(came, left, &*each);
    from = left;
  }
  if (from < time.to || from == time.from)
    piece(from, time.to, static_cast<const program_stay*>(nullptr));
}
/// "barrier", "borrow", "collective call", "request wait" or "comparing clocks"; else empty.
[[nodiscard]] const char* name_of_stay(std::uint8_t what);

}  // namespace deed::viewer
