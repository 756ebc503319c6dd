// SPDX-License-Identifier: MIT
#include "clock_answer.hpp"
#include "control.hpp"
#include "resting.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

/// @file
/// Ranks that record compare their clocks with each other's, up a binary tree to rank 0: when the
/// session begins and ends, and now and then in between.

namespace deed::runtime {
namespace {

constexpr std::chrono::nanoseconds resync_after = std::chrono::seconds(60);

}  // namespace

/// Each record says: at some time between its stamp less the round trip and its stamp, the other
/// rank's clock showed `t_ref`. The fastest round trip says most, so only faster ones are recorded.
/// Blocks: for `patience`, and then goes on without an answer.
void core::measure_clocks(int rounds, std::chrono::nanoseconds patience) {
  if (recorder_ == nullptr || environment_.simulated || rank_ == 0) return;
  const recorded_wait recorded{app(), trace::wait_kind::clocks, 0, trace::nothing};
  const int parent = (rank_ - 1) / 2;
  const std::chrono::nanoseconds until = environment_.time->now() + patience;
  std::uint64_t fastest = std::numeric_limits<std::uint32_t>::max();
  for (int i = 0; i < rounds && environment_.time->now() < until; ++i) {
    const std::uint64_t number = ++clock_.asked;
    const auto answered = [&] { return clock_.number.load(std::memory_order_acquire) == number; };
    const std::uint64_t before = recorder_->stamp();
    tell(*engine_, parent, control::clock_question, clock_reading{number, before});
    linger(answered, until - environment_.time->now());
    if (!answered()) break;
    const std::uint64_t took = recorder_->stamp() - before;
    if (took >= fastest) continue;
    fastest = took;
    app().clock_sync(static_cast<std::uint32_t>(parent),
                     clock_.stamp.load(std::memory_order_relaxed), static_cast<std::uint32_t>(took),
                     clock_.measurement);
  }
  clock_.measurement = static_cast<std::uint8_t>(std::min(clock_.measurement + 1, 255));
  clock_.last = environment_.time->now();
}

/// In a wait of the program that is over: few questions, and no patience for a rank that is deep in
/// a task.
void core::measure_clocks_again() {
  if (recorder_ == nullptr || environment_.simulated || rank_ == 0) return;
  if (environment_.time->now() - clock_.last < resync_after) return;
  measure_clocks(10, std::chrono::milliseconds(1));
}

/// All ranks: each answers until all have asked.
void core::measure_clocks_with_all(collective when) {
  if (recorder_ == nullptr || environment_.simulated || size() == 1) return;
  // Before it, a rank may have no recorder yet and so no clock.
  static_cast<void>(agree(when, 0));
  measure_clocks(50, std::chrono::milliseconds(20));
  static_cast<void>(agree(when, 0));
}

void core::answer_clock(int from, clock_reading asked) {
  if (recorder_ == nullptr) return;
  tell(*engine_, from, control::clock_answer, clock_reading{asked.number, recorder_->stamp()});
}

void core::hear_clock(clock_reading told) {
  clock_.stamp.store(told.stamp, std::memory_order_relaxed);
  clock_.number.store(told.number, std::memory_order_release);
  if (team_ != nullptr) team_->wake_everybody();
}

}  // namespace deed::runtime
