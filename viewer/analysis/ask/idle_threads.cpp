// SPDX-License-Identifier: MIT
#include "analysis/ask/idle_threads.hpp"

#include <deed/trace/events.hpp>

#include "analysis/ask/blame.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/device_work.hpp"
#include "analysis/ask/last_cause.hpp"
#include "analysis/ask/program_calls.hpp"
#include "analysis/ask/program_stays.hpp"
#include "analysis/lod/track.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace deed::viewer {
namespace {

/// Of one thread, what it was in at a moment; at the end of a run, last. Null: in a task, or nobody
/// said it.
const state_span* state_of(const model& of, std::uint32_t lane, std::int64_t when) {
  const auto mine = of.states_of(lane);
  auto at = std::ranges::upper_bound(mine, when, {}, &state_span::end);
  if (at == mine.end() && when >= of.events().end() && at != mine.begin() &&
      std::prev(at)->end >= when)
    --at;
  return at == mine.end() || of.begin_of(*at) > when ? nullptr : &*at;
}

bool is_rest(const state_span& state) {
  using enum trace::worker_state;
  return state.is(idle_no_task) || state.is(idle_dependency) || state.is(fetch_wait);
}

/// "A[3,2] v4 from rank 2, on its way since 10 us".
std::string say_transfer(const model& of, const cause& why, std::int64_t when) {
  const transfer& x = of.transfers()[why.transfer];
  const std::string what = say_cause(of, why);
  if (why.sends) return what + ", not taken yet";
  if (x.has_left() && x.on_the_wire() <= when)
    return what + ", on its way since " + say_time(x.on_the_wire());
  if (why.task != none && of.tasks()[why.task].end > when)
    return what + ", which " + of.task_on_rank(why.task) + " has not written";
  return what + (x.offered() != never && x.offered() <= when
                     ? ", offered since " + say_time(x.offered())
                     : ", not sent yet");
}

std::string say_task(const model& of, std::uint32_t index, std::int64_t when) {
  const task& t = of.tasks()[index];
  return of.task_on_rank(index) +
         (t.begin <= when ? ", which runs since " + say_time(t.begin) : ", which has not begun");
}

/// What a thread waits for, and until when; never: nobody knows.
struct reason {
  std::string what;
  std::int64_t until = never;
};

/// The program of a rank at a moment: in which wait, or between which calls.
class programs_then {
 public:
  programs_then(const model& of, std::int64_t when) : of_(of), when_(when) {}
  [[nodiscard]] std::string say(int rank) {
    const wait_span* inner = nullptr;
    for (const wait_span& each : of_.waits())
      if (of_.events().lanes()[each.lane].rank == rank && each.begin <= when_ &&
          (each.end > when_ || !each.ended) && (inner == nullptr || inner->begin <= each.begin))
        inner = &each;
    if (inner != nullptr)
      return "stands in `" + wait_name(of_, of_.events().events()[inner->event]) + "` since " +
             say_time(inner->begin);
    if (!calls_) calls_.emplace(of_);
    const auto here = calls_->between({{rank, {{when_, when_ + 1}}}});
    return here.empty() ? "is at work" : "is at work, " + calls_->say(here.front());
  }

 private:
  const model& of_;
  const std::int64_t when_;
  std::optional<program_calls> calls_;
};

/// Of a thread that runs no task any more: what was asked for and comes next, as what goes home to
/// its rank, or never comes.
reason why_no_task_comes(const model& of, int rank, std::int64_t when) {
  std::uint32_t first = none, missing = none;
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i) {
    const transfer& x = of.transfers()[i];
    if (x.dst != rank || x.post_receive == never || x.post_receive > when) continue;
    if (x.done_receive == never &&
        (missing == none || x.for_task < of.transfers()[missing].for_task))
      missing = i;
    if (x.done_receive > when &&
        (first == none || x.done_receive < of.transfers()[first].done_receive))
      first = i;
  }
  const std::uint32_t awaited = first != none ? first : missing;
  if (awaited == none) return {"no task comes any more", never};
  const transfer& x = of.transfers()[awaited];
  return {say_transfer(of, {awaited, writer_of(of, x), x.done_receive}, when) +
              (first == none ? ", and never comes" : ", for no task here"),
          x.done_receive};
}

reason why_idle(const model& of, const idle_thread& thread, std::int64_t when,
                programs_then& programs) {
  const int rank = of.events().lanes()[thread.state->lane].rank;
  if (thread.next == none) return why_no_task_comes(of, rank, when);
  const task& t = of.tasks()[thread.next];
  if (t.submit != never && t.submit > when)
    return {"its program, which " + programs.say(rank), t.submit};
  if (t.ready != never && t.ready <= when)
    return {"nothing: ready since " + say_time(t.ready), t.begin};
  const cause why = last_cause(of, t);
  if (why.at > when && why.transfer != none) return {say_transfer(of, why, when), why.at};
  if (why.at > when && why.task != none) return {say_task(of, why.task, when), why.at};
  const auto ready = static_cast<trace::ready_cause>(t.ready_cause);
  const bool by_program = t.ready != never && ready == trace::ready_cause::user;
  return {by_program ? "a call of programs, or another thing that they complete"
                     : "what is not recorded",
          t.ready == never ? t.begin : t.ready};
}

/// "rank 2"; "-": none is known.
std::string say_blamed(const blame& blamed, const state_span& state, std::int64_t when) {
  for (const blamed_part& each : blamed.parts_of(state))
    if (each.time.from <= when && when < each.time.to && each.rank >= 0)
      return "rank " + std::to_string(each.rank);
  return "-";
}

}  // namespace

std::vector<idle_thread> idle_threads(const model& of, std::int64_t when) {
  const auto& lanes = of.events().lanes();
  std::vector<std::uint32_t> next(lanes.size(), none);
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    const task& t = of.tasks()[i];
    if (t.begin == never || t.begin < when || t.lane >= next.size()) continue;
    if (next[t.lane] == none || t.begin < of.tasks()[next[t.lane]].begin) next[t.lane] = i;
  }
  const std::vector<bool> runs_tasks = lanes_of_workers(of);
  std::vector<idle_thread> found;
  for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
    const state_span* const state = runs_tasks[lane] ? state_of(of, lane, when) : nullptr;
    if (state != nullptr && is_rest(*state)) found.push_back({state, next[lane]});
  }
  return found;
}

std::uint32_t awaited_transfer(const model& of, const idle_thread& thread, std::int64_t when) {
  if (thread.next == none) return none;
  const task& t = of.tasks()[thread.next];
  if (t.ready != never && t.ready <= when) return none;
  const cause why = last_cause(of, t);
  return why.at > when && !why.sends ? why.transfer : none;
}

table say_idle_threads(const model& of, const blame& blamed, std::int64_t when,
                       const run_part& part) {
  table rows{"threads without a task at " + say_time(when),
             {"thread", "since", "in", "then runs", "waits for", "until", "because of"},
             {}};
  const std::vector<std::vector<program_stay>> stays = stays_of_programs(of);
  programs_then programs(of, when);
  for (const idle_thread& each : idle_threads(of, when)) {
    const state_span& state = *each.state;
    if (!part.has_rank(of.events().lanes()[state.lane].rank)) continue;
    const program_stay* stay = nullptr;
    cut_by_stays(state, {when, std::min(when + 1, state.end)}, stays_beside(of, stays, state.lane),
                 [&](std::int64_t, std::int64_t, const program_stay* there) { stay = there; });
    const reason why = why_idle(of, each, when, programs);
    rows.rows.push_back({say_lane(of.events(), state.lane), say_time(of.begin_of(state)),
                         name_of_state(kind_of_state(state, stay)),
                         each.next == none ? cell("-") : cell(of.task_name(each.next)), why.what,
                         why.until == never ? cell("-") : cell(say_time(why.until)),
                         say_blamed(blamed, state, when)});
    rows.links.push_back(each.next == none ? "" : "task:" + std::to_string(each.next));
  }
  return rows;
}

}  // namespace deed::viewer
