// SPDX-License-Identifier: MIT
#include "analysis/ask/phases_then.hpp"

#include <deed/base/words.hpp>

#include "analysis/ask/hang.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

/// The record of its submission by the rank that runs it; `none`: there is none.
std::uint32_t submission_of(const model& of, const task& t) {
  const run& r = of.events();
  if (t.submit == never) return none;
  const auto first = std::ranges::lower_bound(r.events(), t.submit, {}, &event::time);
  for (auto at = first; at != r.events().end() && (*at).time == t.submit; ++at) {
    const event e = *at;
    if (e.what == record::task_submit && r.rank_of(e) == t.rank &&
        r.get(e, field::task) == t.number)
      return static_cast<std::uint32_t>(at - r.events().begin());
  }
  return none;
}

/// Virtual ranks do much at one time: what holds is told by the order of the records.
std::uint32_t last_by(const event_list& events, std::int64_t when) {
  const auto behind = std::ranges::upper_bound(events, when, {}, &event::time);
  return static_cast<std::uint32_t>(behind - events.begin()) - 1;
}

/// What an exception ends on its way out of the program.
bool ends_something(record what) {
  return what == record::phase_pop || what == record::wait_end || what == record::release ||
         what == record::handle_unregister || what == record::ledger_step;
}

/// The last record of its thread before an error began to leave the program.
std::uint32_t before_it_left(const model& of, std::uint32_t error) {
  const event_list& events = of.events().events();
  const std::uint32_t lane = events[error].lane;
  while (error-- > 0)
    if (const event e = events[error]; e.lane == lane && !ends_something(e.what)) return error;
  return none;
}

/// An error that leaves the program of a thread at that moment; `none`: none does.
std::uint32_t error_that_leaves(const model& of, std::uint32_t lane, std::int64_t when) {
  const event_list& events = of.events().events();
  for (const std::uint32_t each : of.failures()) {
    if (events[each].lane != lane || events.time(each) < when) continue;
    const std::uint32_t before = before_it_left(of, each);
    if (before != none && events.time(before) <= when) return each;
  }
  return none;
}

}  // namespace

std::string phases_of_thread(const model& of, std::uint32_t lane, std::uint32_t event) {
  std::string text;
  for (const phase_span& each : of.phases_of(lane))
    if (each.event <= event && (each.end_event == none || each.end_event > event))
      text = of.phase_name(each) + (text.empty() ? "" : ", in " + text);
  return text;
}

std::string phases_of_program(const model& of, int rank, std::int64_t when) {
  const run& r = of.events();
  if (of.phases().empty() || r.events().empty() || when < r.events().time(0)) return {};
  const auto program = std::ranges::find_if(
      r.lanes(), [&](const auto& each) { return each.rank == rank && each.is_program(); });
  if (program == r.lanes().end()) return {};
  const auto lane = static_cast<std::uint32_t>(program - r.lanes().begin());
  std::string now = phases_of_thread(of, lane, last_by(r.events(), when));
  const std::uint32_t error = error_that_leaves(of, lane, when);
  if (error == none) return now;
  std::string before = phases_of_thread(of, lane, before_it_left(of, error));
  // An error is recorded behind the phases that it ends, as one that came after them would be. In a
  // deadlock the program stands in a wait.
  if (before == now || tells_of_deadlock(of, error)) return before;
  return before + ", or just left";
}

std::string in_phase_of_task(const model& of, std::uint32_t task) {
  if (of.phases().empty()) return {};
  const std::uint32_t submitted = submission_of(of, of.tasks()[task]);
  if (submitted == none) return {};
  const std::string phases = phases_of_thread(of, of.events().events()[submitted].lane, submitted);
  return phases.empty() ? "" : ", in " + phases;
}

std::string say_phases_at(const model& of, std::int64_t when) {
  std::vector<std::pair<std::string, std::vector<int>>> found;  // In the order of the ranks.
  for (int rank = 0; rank < of.ranks(); ++rank) {
    std::string phases = phases_of_program(of, rank, when);
    if (phases.empty()) continue;
    const auto same = std::ranges::find(found, phases, [](const auto& each) { return each.first; });
    if (same == found.end())
      found.push_back({std::move(phases), {rank}});
    else
      same->second.push_back(rank);
  }
  std::string text;
  for (const auto& [phases, ranks] : found) {
    const bool all = std::ssize(ranks) == of.ranks() && ranks.size() > 1;
    text += (text.empty() ? "" : "; ") + phases + ", on " +
            (all ? "every rank" : (ranks.size() == 1 ? "rank " : "ranks ") + ranks_text(ranks));
  }
  return text;
}

}  // namespace deed::viewer
