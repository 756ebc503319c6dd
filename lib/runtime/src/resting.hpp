// SPDX-License-Identifier: MIT
#pragma once

#include "core.hpp"

/// @file
/// How a thread without work goes to sleep: look around for a moment, then sleep at the network's
/// door if nobody does, else beside the others.

namespace deed::runtime {

template <class Done>
void worker_team::rest(Done&& done, std::chrono::nanoseconds at_most) {
  const auto useful = [&] { return anything_ready() || done(); };
  if (!home_.environment_.simulated) {
    constexpr int looks = 50;  // About a microsecond: a wake-up costs twenty.
    searching_.fetch_add(1, std::memory_order_relaxed);
    bool found = false;
    for (int i = 0; i < looks && !found; ++i) found = useful();
    searching_.fetch_sub(1, std::memory_order_seq_cst);
    if (found || useful()) return;
  }
  const bool last = resting_.fetch_add(1, std::memory_order_acq_rel) + 1 == contexts_.size();
  if (last && !anything_ready()) home_.note_idle();
  if (!at_the_door_.exchange(true, std::memory_order_seq_cst)) {
    if (!useful()) home_.engine_->rest(at_most);
    at_the_door_.store(false, std::memory_order_release);
  } else {
    parking_.sleep(useful, at_most);
  }
  resting_.fetch_sub(1, std::memory_order_acq_rel);
}

template <class Done>
void core::help_until(Done&& done) {
  context& self = team_->main();
  const bool run_tasks = team_->main_runs_tasks();
  // A virtual rank is woken by what it waits for; real threads look again, to be safe.
  const auto at_most = environment_.simulated
                           ? std::chrono::nanoseconds::max()
                           : std::chrono::nanoseconds(std::chrono::milliseconds(50));
  const auto ended = [&] {
    return done() || failed_.load(std::memory_order_acquire) ||
           quiescent_.load(std::memory_order_acquire);
  };
  while (!done()) {
    if (step(self, run_tasks)) continue;
    rethrow_failure();
    if (quiescent_.load(std::memory_order_acquire)) explain_deadlock();
    team_->somebody_waits.store(true, std::memory_order_seq_cst);
    team_->rest(ended, at_most);
  }
  team_->somebody_waits.store(false, std::memory_order_relaxed);
  note_work();
}

}  // namespace deed::runtime
