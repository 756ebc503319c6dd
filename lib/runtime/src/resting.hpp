// SPDX-License-Identifier: MIT
#pragma once

#include "core.hpp"

#include <algorithm>

/// @file
/// How a thread of a session waits. The program's thread, where it may not run tasks, leaves the
/// network's door to the workers: they would sleep while it hears what they wait for.

namespace deed::runtime {

template <class Done>
void worker_team::rest_aside(Done&& done, std::chrono::nanoseconds at_most) {
  const time_passed rests(main().times, *home_.environment_.time, &thread_times::rested);
  idleness::rest resting(home_.idleness_, contexts_.size(), true);
  resting.tell([&] { return anything_ready() || done(); });
  submitter_.sleep(done, resting.all() ? std::chrono::milliseconds(25) : at_most);
}

template <class Done>
void worker_team::stand_aside(Done&& done, std::chrono::nanoseconds at_most) {
  const time_passed rests(main().times, *home_.environment_.time, &thread_times::rested);
  submitter_.sleep(done, at_most);
}

template <class Done>
void worker_team::rest(context& self, Done&& done, std::chrono::nanoseconds at_most, bool waits) {
  const auto useful = [&] { return anything_ready() || done(); };
  if (home_.engine_->looks_again()) return;
  const time_passed rests(self.times, *home_.environment_.time, &thread_times::rested);
  const std::uint64_t completed = self.completed.load(std::memory_order_relaxed);
  // Not again before there was work: a rank that waits for a second sleeps hundreds of times.
  const bool searches = !home_.environment_.simulated && completed != self.completed_at_rest;
  if (searches && sleepers_.search(useful)) return;
  self.completed_at_rest = completed;
  wake_submitter(true);
  idleness::rest resting(home_.idleness_, contexts_.size(), waits);
  resting.tell(useful);
  sleepers_.sleep(useful, [&] { home_.engine_->rest(at_most); }, at_most);
}

template <class Done>
void core::sleep(context& self, Done&& done, std::chrono::nanoseconds at_most) {
  const bool watches = devices_ != nullptr && devices_->watch();
  team_->rest(self, done, watches ? devices_->until_next() : at_most, !watches);
  if (watches) devices_->look_away();
}

template <class Done>
void core::help_until(Done&& done, bool for_all_nodes) {
  context& self = team_->main();
  const bool run_tasks = team_->main_runs_tasks();
  // A virtual rank is woken by what it waits for; real threads look again, to be safe.
  const auto at_most = environment_.simulated
                           ? std::chrono::nanoseconds::max()
                           : std::chrono::nanoseconds(std::chrono::milliseconds(50));
  // Workers that all compute hear nothing: between two looks a tenth of the time waited so far.
  constexpr std::chrono::nanoseconds shortest = std::chrono::milliseconds(1);
  constexpr std::chrono::nanoseconds longest = std::chrono::milliseconds(5);
  auto aside = shortest;
  const auto ended = [&] {
    return done() || failed_.load(std::memory_order_acquire) || alarm_.rung() ||
           quiescent_.load(std::memory_order_acquire);
  };
  if (done()) {
    see_completed();
    return note_work();
  }
  const time_passed waits(self.times, *environment_.time, &thread_times::called);
  self.times.goes_on();
  waits_now_.store(true, std::memory_order_relaxed);
  // Beside a worker it would share a core with it, however idle its own is; and the system likes to
  // put who is woken beside who woke it.
  std::shared_ptr<const void> seat = run_tasks ? team_->visit() : nullptr;
  constexpr unsigned span = 512;  // Tasks that it runs.
  unsigned steps = 0;
  const bool chooses = team_->may_choose();
  const auto completed = [&] { return team_->completed(); };
  if (chooses) in_wait_.begin(completed(), environment_.time->now());
  while (!done()) {
    if (chooses && !in_wait_.usual()) {
      team_->somebody_waits.store(for_all_nodes, std::memory_order_seq_cst);
      stop_running(self);
      record_rest(self);
      team_->stand_aside(ended, shortest);
      in_wait_.end(completed(), environment_.time->now());
      rethrow_failure();
      if (alarm_.rung()) explain_difference();
      continue;
    }
    if (run_tasks ? step(self) : listen(self)) {
      aside = shortest;
      if (chooses && ++steps % span == 0) in_wait_.end(completed(), environment_.time->now());
      continue;
    }
    rethrow_failure();
    if (alarm_.rung()) explain_difference();
    if (quiescent_.load(std::memory_order_acquire)) explain_deadlock();
    team_->somebody_waits.store(for_all_nodes, std::memory_order_seq_cst);
    record_rest(self);
    if (run_tasks) {
      if (seat == nullptr) seat = team_->visit();
      sleep(self, ended, at_most);
    } else {
      team_->rest_aside(ended, aside);
      aside = std::min(longest, aside + aside / 10);
    }
  }
  stop_running(self);
  if (run_tasks || !for_all_nodes) self.times.came({.name = waiting_at_});
  team_->somebody_waits.store(false, std::memory_order_relaxed);
  waits_now_.store(false, std::memory_order_relaxed);
  see_completed();
  self.said = thread_activity::running;
  note_work();
  if (alarm_.rung()) explain_difference();  // Before this rank goes on to the next call of all.
}

template <class Done>
void core::linger(Done&& done, std::chrono::nanoseconds patience) {
  context& self = team_->main();
  const bool runs = team_->main_runs_tasks();
  const std::chrono::nanoseconds since = environment_.time->now();
  const time_passed waits(self.times, *environment_.time, &thread_times::called);
  while (!done() && !failed_.load(std::memory_order_acquire) &&
         environment_.time->now() - since < patience) {
    if (alarm_.rung()) explain_difference();
    if (runs ? step(self) : listen(self)) continue;
    team_->rest(self, done, patience, false);
  }
  stop_running(self);
}

}  // namespace deed::runtime
