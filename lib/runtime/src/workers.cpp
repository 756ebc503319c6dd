// SPDX-License-Identifier: MIT
#include "core.hpp"
#include "resting.hpp"
#include <sys/prctl.h>

namespace deed::runtime {

bool worker_team::anything_ready() const noexcept {
  return queue_->size() != 0 || ranked_.size() != 0 ||
         (home_.devices_ != nullptr && home_.devices_->any_parked());
}

bool worker_team::may_choose() const noexcept {
  return main_runs_tasks_ && contexts_.size() > 1 && !home_.environment_.simulated;
}

worker_team::worker_team(core& home, int seats, std::unique_ptr<tasks::ready_queue> queue)
    : home_(home),
      queue_(std::move(queue)),
      main_runs_tasks_(seats != 1),
      several_(!home.environment_.simulated && seats > 1),
      barrier_(!home.environment_.simulated) {
  const int threads = seats == 0 ? 0 : std::max(1, seats - 1);
  for (int i = 0; i <= threads; ++i) {
    contexts_.push_back(std::make_unique<context>(home.rank()));
    contexts_.back()->door = queue_->open();
    contexts_.back()->seat = static_cast<std::uint16_t>(i);
  }
  main().keeps_next = false;  // The program may go on and compute.
}

void worker_team::start() {
  // The program's thread is its own; the core that it would have as a worker stays free for it.
  const int seats = static_cast<int>(contexts_.size()) - (main_runs_tasks_ ? 0 : 1);
  const bool binds = home_.options_.bind && home_.environment_.bind;
  for (std::size_t i = 1; i < contexts_.size(); ++i) {
    threads_.emplace_back([this, i, seats, binds] {
      try {
        if (binds) home_.environment_.bind(static_cast<int>(i) - (main_runs_tasks_ ? 0 : 1), seats);
      } catch (...) {
        home_.fail(std::current_exception());
      }
      work(*contexts_[i]);
    });
  }
}

std::shared_ptr<const void> worker_team::visit() const {
  const bool binds = home_.options_.bind && home_.environment_.visit;
  const int seats = static_cast<int>(contexts_.size());
  return binds && seats > 1 ? home_.environment_.visit(0, seats) : nullptr;
}

worker_team::~worker_team() { stop(); }

void worker_team::stop() {
  stopping_.store(true, std::memory_order_release);
  wake_everybody();
  threads_.clear();  // Joins.
}

std::uint64_t worker_team::completed() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& each : contexts_) sum += each->completed.load(std::memory_order_acquire);
  return sum;
}

void worker_team::await_completed(std::uint64_t nodes, std::chrono::nanoseconds at_most) {
  full_window_.sleep(nodes, [this] { return completed(); }, at_most);
}

void worker_team::wake_submitter(bool out_of_work) noexcept {
  full_window_.wake(out_of_work, [this] { return completed(); });
}

context* worker_team::worker_that_calls() const noexcept {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].get_id() == std::this_thread::get_id()) return contexts_[i + 1].get();
  }
  return nullptr;
}

void worker_team::let_gather(context& self) const {
  constexpr std::uint64_t some = 32, worthwhile = 2;  // Nodes.
  constexpr auto moment = std::chrono::microseconds(4);
  constexpr unsigned quick = 16;
  // While it waits, the submitter needs a core of its own; what waits for other ranks must not.
  const bool alone = home_.environment_.cores >= static_cast<int>(contexts_.size());
  if (home_.environment_.simulated || !alone || &self == contexts_.front().get()) return;
  if (self.quick_takes > 0) {
    --self.quick_takes;
    return;
  }
  const std::uint64_t before = home_.submitted_.load(std::memory_order_relaxed);
  // Who finds nothing listens to the network meanwhile.
  if (queue_->size() == 0 || before >= completed() + some) return;
  const auto end = home_.environment_.time->now() + moment;
  do {
    for (int pause = 0; pause < 16; ++pause) relax();
  } while (home_.environment_.time->now() < end);
  const std::uint64_t more = home_.submitted_.load(std::memory_order_relaxed) - before;
  if (more < worthwhile) self.quick_takes = quick;
}

void worker_team::call_for_help() noexcept {
  sleepers_.call([this] { home_.engine_->wake(); });
}

void worker_team::wake_everybody() noexcept {
  home_.idleness_.note_call();
  sleepers_.call_parked();
  submitter_.wake_all();
  full_window_.wake_all();
  home_.engine_->wake();
}

void worker_team::work(context& self) {
  const signal_stack of_this_thread;
  // Of this thread alone: it sleeps for as long as it asks, not for 50 microseconds more.
  ::prctl(PR_SET_TIMERSLACK, 1UL);
  const auto done = [this] { return stopping_.load(std::memory_order_acquire); };
  for (unsigned turn = 1; !done(); ++turn) try {
      const bool worked = home_.step(self);
      if (turn % turns_between_looks == 0) wake_submitter(false);
      if (!worked && somebody_waits.load(std::memory_order_relaxed) && home_.at_rest()) {
        somebody_waits.store(false, std::memory_order_relaxed);
        wake_everybody();
      }
      if (worked) continue;
      home_.record_rest(self);
      home_.sleep(self, done, std::chrono::milliseconds(50));
    } catch (...) {
      home_.fail(std::current_exception());  // Not of a task: memory, or the network.
    }
}

}  // namespace deed::runtime
