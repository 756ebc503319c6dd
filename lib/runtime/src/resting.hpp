// SPDX-License-Identifier: MIT
#pragma once

#include "core.hpp"

/// @file
/// How a thread without work goes to sleep: look around for a moment, then sleep at the network's
/// door if nobody does, else beside the others.

namespace deed::runtime {

template <class Done>
void worker_team::rest(Done&& done, std::chrono::nanoseconds at_most, bool waits) {
  const auto useful = [&] { return anything_ready() || done(); };
  if (!home_.environment_.simulated) {
    constexpr int looks = 50;  // About a microsecond: a wake-up costs twenty.
    searching_.fetch_add(1, std::memory_order_relaxed);
    bool found = false;
    for (int i = 0; i < looks && !found; ++i) found = useful();
    searching_.fetch_sub(1, std::memory_order_relaxed);  // Seen by all at the barrier below.
    if (found) return;
  }
  constexpr std::uint64_t count = 0xffff;
  const std::uint64_t more = waits ? 1 : 0;
  const std::uint64_t mine = resting_.fetch_add(more, std::memory_order_seq_cst) + more;
  if ((mine & count) == contexts_.size() && !useful()) {
    home_.note_idle();
    // Another may have left its rest since: a rank that works must never be called idle.
    if (resting_.load(std::memory_order_seq_cst) != mine || useful()) home_.stop_idling();
  }
  if (!at_the_door_.exchange(true, std::memory_order_seq_cst)) {
    if (!home_.environment_.simulated) barrier_.heavy();  // Pairs with `call_for_help`.
    if (!useful()) home_.engine_->rest(at_most);
    at_the_door_.store(false, std::memory_order_release);
  } else {
    parking_.sleep(useful, at_most);
  }
  std::uint64_t now = resting_.load(std::memory_order_seq_cst);
  while ((now & ~count) == (mine & ~count) &&
         !resting_.compare_exchange_weak(now, now - more, std::memory_order_seq_cst)) {
  }
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
  stop_running(self);
  team_->somebody_waits.store(false, std::memory_order_relaxed);
  note_work();
}

}  // namespace deed::runtime
