// SPDX-License-Identifier: MIT
#include "analysis/match/rank_work.hpp"

#include <deed/base/random.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace deed::viewer {

rank_work::rank_work(const run& from, int rank, const codelet_numbers& codelets,
                     std::vector<task>& all)
    : tasks(all), run_(&from), rank_(rank), all_codelets_(&codelets) {
  for (const rank_info& each : from.ranks())
    if (each.rank == rank) known_from_ = each.from;
  std::uint32_t end = 0;
  std::uint64_t used = 0;
  for (std::uint32_t lane = 0; lane < from.lanes().size(); ++lane) {
    if (from.lanes()[lane].rank != rank || from.lanes()[lane].events == 0) continue;
    if (end == 0) first_lane_ = lane;
    end = lane + 1;
    used += from.lanes()[lane].count(record::task_access);
  }
  accesses.reserve(used);
  threads_.resize(end - first_lane_);
  constexpr std::uint64_t small = 64;
  for (std::uint64_t id = 0; id < small; ++id) codelets_.push_back(codelets.find(rank, id));
}

namespace {

/// What a thread waited for that runs a task next.
trace::worker_state rest_before(const task& next) {
  switch (static_cast<trace::ready_cause>(next.ready_cause)) {
    case trace::ready_cause::submit:
      return trace::worker_state::idle_no_task;
    case trace::ready_cause::transfer:
      return trace::worker_state::fetch_wait;
    default:
      return trace::worker_state::idle_dependency;
  }
}

}  // namespace

/// Numbers that follow each other lie beside each other: tasks come about in their order.
std::size_t rank_work::hash_of(std::uint64_t number) noexcept {
  constexpr int near = 20;  // Bits. Those above spread whatever a damaged file holds.
  return static_cast<std::size_t>(number + mix(number >> near));
}

std::uint32_t rank_work::place_of(std::uint64_t number, std::uint32_t event) {
  number &= task::number_mask;
  if (last_ < tasks.size() && tasks[last_].number == number) return last_;
  const auto [place, added] =
      places_.add(hash_of(number), static_cast<std::uint32_t>(tasks.size()),
                  [&](std::uint32_t at) { return tasks[at].number == number; });
  if (added) {
    task& made = tasks.add(event);
    made.number = number & task::number_mask;
    made.rank = rank_;
    made.codelet = none;
  }
  return last_ = place;
}

task& rank_work::task_of(const event& e, std::uint32_t index) {
  return tasks[place_of(run_->get(e, field::task), index)];
}

void rank_work::name_codelet(task& of, std::uint64_t id) const {
  const std::uint32_t found =
      id < codelets_.size() ? codelets_[id] : all_codelets_->find(rank_, id);
  if (found != none) of.codelet = found;
}

void rank_work::read(const event& e, std::uint32_t index) {
  const run& r = *run_;
  switch (e.what) {  // What `wants` lets through.
    case record::task_submit: {
      if (r.get32(e, field::exec_rank) != static_cast<std::uint32_t>(rank_)) break;
      task& t = task_of(e, index);
      if (t.submit == never) ++inserted_;
      t.submit = e.time;
      t.loc = r.get32(e, field::loc);
      name_codelet(t, r.get(e, field::codelet));
      break;
    }
    case record::task_access: {
      const std::uint32_t place = place_of(r.get(e, field::task), index);
      if (tasks[place].accesses == task::most_accesses) break;  // No recorder writes more.
      ++tasks[place].accesses;
      access& made = accesses.emplace_back();
      made.task = place % access::most_tasks;
      made.mode = std::min(r.get32(e, field::mode), access::most_modes - 1) % access::most_modes;
      made.handle = r.get32(e, field::handle);
      made.ver_in = r.get32(e, field::ver_in);
      made.ver_out = r.get32(e, field::ver_out);
      break;
    }
    case record::task_ready: {
      task& t = task_of(e, index);
      could_run(t, index);
      t.ready = e.time;
      t.ready_cause = static_cast<std::uint8_t>(r.get(e, field::cause));
      t.ready_by = r.get(e, field::cause_id);
      break;
    }
    case record::task_begin: {
      task& t = task_of(e, index);
      thread& here = thread_of(e);
      end_looking(here, e.time, rest_before(t));
      end_state(here, e.time);
      begins(t, index);
      t.begin = e.time;
      t.lane = e.lane;
      name_codelet(t, r.get(e, field::codelet));
      break;
    }
    case record::task_end: {
      task& t = task_of(e, index);
      t.end = e.time;
      t.status = static_cast<std::uint8_t>(r.get(e, field::status));
      // Until it says otherwise, a thread that ran a task looks for the next one; `end` forgets
      // that of one that never says.
      constexpr std::uint8_t scheduling = 0;
      const thread& here = thread_of(e);
      if (r.lanes()[e.lane].is_worker() || !here.waiting.empty()) begin_state(e, index, scheduling);
      break;
    }
    case record::kernel: {  // Told when it was over.
      task& t = task_of(e, index);
      const std::int64_t begin = r.moment(e, field::t_begin);
      t.end = std::max(begin, r.moment(e, field::t_end));
      if (t.end < known_from_) break;  // As of other tasks: what a slice brings along has no begin.
      begins(t, index);
      t.begin = begin;
      t.lane = e.lane;
      break;
    }
    case record::state: {
      const auto state = static_cast<std::uint8_t>(r.get(e, field::state));
      thread_of(e).says_states = true;
      end_looking(thread_of(e), e.time, static_cast<trace::worker_state>(state));
      begin_state(e, index, state);
      break;
    }
    case record::wait_begin:
      thread_of(e).waiting.push_back(
          {e.lane, e.time, e.time, index, static_cast<std::uint8_t>(r.get(e, field::what))});
      break;
    case record::wait_end:
      end_wait(e);
      break;
    case record::phase_push:
      begin_phase(e, index);
      break;
    case record::phase_pop:
      end_phase(e, index);
      break;
    case record::counter:
      add_value(e, index);
      break;
    case record::fatal_signal:
      if (thread_of(e).crashed == never) thread_of(e).crashed = e.time;
      [[fallthrough]];
    case record::error:
      failures.push_back(index);
      break;
    case record::stop_run:
      stops.push_back(index);
      break;
    default:
      break;
  }
}

void rank_work::could_run(task& of, std::uint32_t index) {
  if (of.ready == never && of.begin == never && can_run_++ == 0) one_since_ = index;
}

void rank_work::begins(const task& of, std::uint32_t index) {
  if (of.begin != never) return;
  ++begun_;
  if (of.ready != never && can_run_ != 0 && --can_run_ == 0) none_since_ = index;
}

/// The thread of a program in a wait that hears one message after the other, or that shares its
/// core, may look for a task for long and say nothing. While there was none that it could run, it
/// rested: of that the last time counts, if it is longer than a thread takes to say so.
void rank_work::end_looking(thread& of, std::int64_t at, trace::worker_state rest) const {
  constexpr std::int64_t brief = 100'000;
  const event_list& all = run_->events();
  if (!of.open || of.waiting.empty() || rest == trace::worker_state::scheduling) return;
  if (all.what(of.open->event) != record::task_end) return;  // It has said what it does.
  const std::int64_t began = of.open->end;
  const bool none_later = none_since_ != none && all.time(none_since_) > began;
  const std::uint32_t first = none_later ? none_since_ : of.open->event;
  const std::int64_t since = std::max(began, all.time(first));
  const std::int64_t until = can_run_ == 0 ? at : std::min(at, all.time(one_since_));
  if (until - since <= brief) return;
  state_span next = *of.open;
  const auto go_on = [&](std::int64_t from, std::uint32_t event, trace::worker_state state) {
    end_state(of, from);
    next.event = event;
    next.end = from;
    next.state = static_cast<std::uint8_t>(state);
    of.open = next;
  };
  go_on(since, first, rest);
  if (until < at) go_on(until, one_since_, trace::worker_state::scheduling);
}

trace::worker_state rank_work::rest_at_end() const {
  return begun_ < inserted_ ? trace::worker_state::idle_dependency
                            : trace::worker_state::idle_no_task;
}

void rank_work::begin_state(const event& e, std::uint32_t index, std::uint8_t state) {
  thread& here = thread_of(e);
  end_state(here, e.time);
  state_span& open = here.open.emplace();
  open.lane = e.lane % state_span::most_lanes;
  open.event = index;
  open.end = e.time;  // Its begin, as long as it is open.
  open.state = state;
}

void rank_work::end_state(thread& of, std::int64_t at) {
  if (!of.open) return;
  const std::int64_t begin = of.open->end;
  of.open->end = at;
  if (at > begin) of.states.push_back(*of.open);
  of.open.reset();
}

void rank_work::end_wait(const event& e) {
  const run& r = *run_;
  thread& here = thread_of(e);
  const auto began =
      std::find_if(here.waiting.rbegin(), here.waiting.rend(), [&](const wait_span& w) {
        const event& begin = r.events()[w.event];
        return w.what == r.get(e, field::what) && r.get(begin, field::id) == r.get(e, field::id);
      });
  if (began == here.waiting.rend()) return;
  began->end = e.time;
  began->ended = true;
  waits.push_back(*began);
  if (here.waiting.size() == 1) end_looking(here, e.time, rest_at_end());
  here.waiting.erase(std::next(began).base());
  if (here.waiting.empty()) end_state(here, e.time);
}

void rank_work::begin_phase(const event& e, std::uint32_t index) {
  std::vector<std::uint32_t>& around = thread_of(e).in_phases;
  const std::uint32_t depth = around.empty() ? 0 : phases[around.back()].depth + 1;
  around.push_back(static_cast<std::uint32_t>(phases.size()));
  phases.push_back({e.lane, depth, index, none, e.time, e.time});
}

void rank_work::end_phase(const event& e, std::uint32_t index) {
  const run& r = *run_;
  std::vector<std::uint32_t>& open = thread_of(e).in_phases;
  const auto began = std::find_if(open.rbegin(), open.rend(), [&](std::uint32_t each) {
    const event begin = r.events()[phases[each].event];
    return r.get(begin, field::name) == r.get(e, field::name) &&
           r.get(begin, field::index) == r.get(e, field::index);
  });
  if (began == open.rend()) return;
  phases[*began].end = e.time;
  phases[*began].end_event = index;
  open.erase(std::next(began).base());
}

void rank_work::add_value(const event& e, std::uint32_t index) {
  const std::uint32_t name = run_->get32(e, field::id);
  auto mine = std::ranges::find(values, name, &value_series::name);  // There are few.
  if (mine == values.end()) mine = values.insert(mine, {rank_, name, {}});
  mine->events.push_back(index);
}

void rank_work::end(std::int64_t until) {
  for (thread& each : threads_) {
    const std::int64_t last = each.crashed == never ? until : std::min(until, each.crashed);
    for (const std::uint32_t phase : each.in_phases)
      phases[phase].end = std::max(phases[phase].begin, last);
    each.in_phases.clear();
    end_looking(each, last, rest_at_end());
    end_state(each, last);
    if (!each.says_states) each.states.clear();
    for (wait_span& left : each.waiting) {
      left.end = std::max(left.begin, last);
      waits.push_back(left);
    }
    each.waiting.clear();
  }
  places_ = {};
}

std::vector<std::vector<state_span>> rank_work::take_states() {
  std::vector<std::vector<state_span>> taken;
  for (thread& each : threads_) taken.push_back(std::exchange(each.states, {}));
  return taken;
}

}  // namespace deed::viewer
