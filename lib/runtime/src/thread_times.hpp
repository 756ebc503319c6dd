// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>
#include <deed/base/place.hpp>
#include <deed/runtime/statistics.hpp>

#include "known_codelet.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Where the time of one thread of a session goes.

namespace deed::runtime {

/// What a thread waited for: one of the data of a name, or a call.
struct awaited {
  std::string_view name;
  int i = -1, j = -1;  // Of the datum in its collection.
  int from = -1;       // -1: a call, which `name` says.
  place where{};       // The call that needs the datum.
};

/// Tasks by codelet, time without work, and what ended it.
///
/// Threads: its own; what is const, any.
/// Cost: an addition and a store per task. Of the clock it knows what its caller tells.
class thread_times {
 public:
  using time = std::chrono::nanoseconds;
  /// What it waited for: so many are told apart, then a longer wait replaces the shortest.
  static constexpr std::size_t most_waits = 32;

  /// What is known of a task that is about to run.
  struct forecast {
    bool first;     // Of its codelet on this thread.
    bool may_last;  // A thread that sleeps could be woken and do much meanwhile.
  };
  /// Runs a task more.
  forecast runs(const known_codelet& codelet) {
    entry& of = entry_of(codelet);
    const std::uint64_t before = of.tasks.load(std::memory_order_relaxed);
    of.tasks.store(before + 1, std::memory_order_relaxed);
    return {before == 0, of.may_last};
  }
  /// A task that it ran took so long.
  void took(const known_codelet& codelet, time passed);
  /// A device ran one.
  void ran_on_device(const known_codelet& codelet);

  /// It had nothing to run for so long, and looks again.
  void rested(time passed) noexcept;
  /// It has work, wherever that came from.
  void goes_on() noexcept { rest_ = time(0); }
  /// This is here. If it rested since it last had work, then it waited for this.
  void came(const awaited& what) {
    if (rest_ > time(0)) end_wait(what);
  }
  /// It was in a call that waits.
  void called(time passed) noexcept;

  [[nodiscard]] time idle() const noexcept { return time(idle_ns_.load()); }
  [[nodiscard]] time in_calls() const noexcept { return time(in_calls_ns_.load()); }
  /// Its tasks, and what it waited for.
  void add_to(statistics& sum) const;

 private:
  struct entry {
    explicit entry(const known_codelet& of) : codelet(&of) {}
    const known_codelet* codelet;
    std::atomic<std::uint64_t> tasks{0};
    bool may_last = true;  // As the last one did that was timed.
    codelet_use others;    // But for `tasks`; under the lock.
  };
  struct wait {
    std::string name;
    int from;
    place where;
    std::uint64_t times;
    time total, longest;
    int i, j;  // Of the longest.
  };

  entry& entry_of(const known_codelet& codelet) {
    if (codelet.index < entries_.size() && entries_[codelet.index] != nullptr) [[likely]]
      return *entries_[codelet.index];
    return meet(codelet);
  }
  entry& meet(const known_codelet& codelet);
  void end_wait(const awaited& what);

  // Only its thread changes these lists, under the lock; so it reads them without.
  std::vector<std::unique_ptr<entry>> entries_;  // By the codelet's index; null: none ran here.
  std::vector<wait> waits_;
  mutable std::mutex mutex_;
  std::atomic<std::int64_t> idle_ns_{0}, in_calls_ns_{0};
  time rest_{};  // Since it last had work.
};

/// Tells the time from here to the end of the scope: `time_passed(times, clock,
/// &thread_times::rested)`.
class time_passed {
 public:
  using teller = void (thread_times::*)(std::chrono::nanoseconds) noexcept;
  time_passed(thread_times& of, const clock& now, teller tell) noexcept
      : of_(of), clock_(now), tell_(tell), begin_(now.now()) {}
  ~time_passed() { (of_.*tell_)(clock_.now() - begin_); }
  time_passed(const time_passed&) = delete;

 private:
  thread_times& of_;
  const clock& clock_;
  const teller tell_;
  const std::chrono::nanoseconds begin_;
};

}  // namespace deed::runtime
