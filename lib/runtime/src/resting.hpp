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
  if (!at_the_door_.exchange(true, std::memory_order_seq_cst)) {
    if (!useful()) home_.engine_->rest(at_most);
    at_the_door_.store(false, std::memory_order_release);
    return;
  }
  parking_.sleep(useful, at_most);
}

template <class Done>
void core::help_until(Done&& done) {
  context& self = team_->main();
  const bool run_tasks = team_->main_runs_tasks();
  while (!done()) {
    if (step(self, run_tasks)) continue;
    team_->somebody_waits.store(true, std::memory_order_seq_cst);
    team_->rest(done, std::chrono::milliseconds(50));
  }
  team_->somebody_waits.store(false, std::memory_order_relaxed);
}

}  // namespace deed::runtime
