// SPDX-License-Identifier: MIT
#pragma once

#include "core.hpp"

#include <algorithm>

/// @file
/// How a thread without work goes to sleep: look around for a moment, then sleep at the network's
/// door if nobody does, else beside the others. The program's thread, where it may not run tasks,
/// leaves the door to the workers: they would sleep while it hears what they wait for.

namespace deed::runtime {

/// A moment's pause for the core, and for the other thread on it.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// One context more rests, until the end of the scope or until all are woken.
class worker_team::resting_count {
 public:
  resting_count(worker_team& team, bool counts)
      : team_(team),
        more_(counts ? 1 : 0),
        mine_(team.resting_.fetch_add(more_, std::memory_order_seq_cst) + more_) {}
  ~resting_count() {
    std::uint64_t now = team_.resting_.load(std::memory_order_seq_cst);
    while ((now & ~count) == (mine_ & ~count) &&
           !team_.resting_.compare_exchange_weak(now, now - more_, std::memory_order_seq_cst)) {
    }
  }
  resting_count(const resting_count&) = delete;
  [[nodiscard]] bool all() const noexcept { return (mine_ & count) == team_.contexts_.size(); }
  /// If all rest and nothing is useful, the rank is idle.
  template <class Useful>
  void tell(Useful&& useful) {
    if (!all() || useful()) return;
    team_.home_.note_idle();
    // Another may have left its rest since: a rank that works must never be called idle.
    if (team_.resting_.load(std::memory_order_seq_cst) != mine_ || useful())
      team_.home_.stop_idling();
  }

 private:
  static constexpr std::uint64_t count = 0xffff;
  worker_team& team_;
  std::uint64_t more_, mine_;
};

/// Also if a virtual rank is told there that all wait for each other.
class worker_team::leaves_the_door {
 public:
  explicit leaves_the_door(std::atomic<bool>& taken) noexcept : taken_(taken) {}
  ~leaves_the_door() { taken_.store(false, std::memory_order_release); }
  leaves_the_door(const leaves_the_door&) = delete;

 private:
  std::atomic<bool>& taken_;
};

template <class Done>
void worker_team::rest_aside(Done&& done, std::chrono::nanoseconds at_most) {
  const time_passed rests(main().times, *home_.environment_.time, &thread_times::rested);
  resting_count resting(*this, true);
  resting.tell([&] { return anything_ready() || done(); });
  submitter_.sleep(done, resting.all() ? std::chrono::milliseconds(25) : at_most);
}

template <class Done>
void worker_team::rest(context& self, Done&& done, std::chrono::nanoseconds at_most, bool waits) {
  const auto useful = [&] { return anything_ready() || done(); };
  if (home_.engine_->looks_again()) return;
  const time_passed rests(self.times, *home_.environment_.time, &thread_times::rested);
  const std::uint64_t completed = self.completed.load(std::memory_order_relaxed);
  if (!home_.environment_.simulated && completed != self.completed_at_rest) {
    // Some microseconds: a wake-up costs twenty. Ever longer between two looks, because each takes
    // a cache line from who is writing it, and what becomes ready meanwhile is taken at one go.
    // Not again before there was work: a rank that waits for a second sleeps hundreds of times.
    constexpr int looks = 40, longest = 32;
    searching_.fetch_add(1, std::memory_order_relaxed);
    bool found = false;
    for (int i = 0, pauses = 1; i < looks && !found; ++i) {
      for (int pause = 0; pause < pauses; ++pause) relax();
      pauses = std::min(2 * pauses, longest);
      found = useful();
    }
    searching_.fetch_sub(1, std::memory_order_relaxed);  // Seen by all at the barrier below.
    if (found) return;
  }
  self.completed_at_rest = completed;
  wake_submitter(true);
  resting_count resting(*this, waits);
  resting.tell(useful);
  if (!at_the_door_.exchange(true, std::memory_order_seq_cst)) {
    const leaves_the_door leaves(at_the_door_);
    if (!home_.environment_.simulated) barrier_.heavy();  // Pairs with `call_for_help`.
    if (!useful()) home_.engine_->rest(at_most);
  } else {
    parking_.sleep(useful, at_most);
  }
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
  if (done()) return note_work();
  const time_passed waits(self.times, *environment_.time, &thread_times::called);
  self.times.goes_on();
  waits_now_.store(true, std::memory_order_relaxed);
  // Beside a worker it would share a core with it, however idle its own is; and the system likes to
  // put who is woken beside who woke it.
  std::shared_ptr<const void> seat = run_tasks ? team_->visit() : nullptr;
  while (!done()) {
    if (run_tasks ? step(self) : listen(self)) {
      aside = shortest;
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
  self.said = thread_activity::running;
  note_work();
  if (alarm_.rung()) explain_difference();  // Before this rank goes on to the next call of all.
}

}  // namespace deed::runtime
