// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

/// @file
/// Whether it pays to run a task on the thread that wrote its data last.

namespace deed::runtime {

/// Who was the last to write what a task writes.
enum class written_by : std::uint8_t { nobody, this_thread, another_thread };

/// What tasks of a codelet take on the thread that last wrote what they write, and what they take
/// on others, where they were timed. Two cores with a cache in common exchange data quickly, and a
/// task may run where a thread is free; where cores have a cache each, a task of microseconds on
/// the wrong one takes up to twice as long. Which of the two a machine is, and with what else it
/// shares its memory, may change by the minute.
///
/// Threads: any. A measurement may get lost where two threads come at once.
class locality {
 public:
  using nanoseconds = std::chrono::nanoseconds;

  void took(bool where_written, nanoseconds passed) noexcept {
    (where_written ? near_ : far_).add(passed);
    const std::uint32_t near = near_.mean(), far = far_.mean();
    const bool before = pays();
    const bool now = near != 0 && far > (before ? near : near + near / 8);
    if (now != before) pays_.store(now, std::memory_order_relaxed);
  }
  /// Tasks are to go to the thread that wrote their data. Not before both are known; then as long
  /// as others take longer, from an eighth more on.
  [[nodiscard]] bool pays() const noexcept { return pays_.load(std::memory_order_relaxed); }

 private:
  /// Of the last 32 or so. What the system did meanwhile counts in part.
  class recent_mean {
   public:
    void add(nanoseconds passed) noexcept {
      const auto now = static_cast<std::uint32_t>(
          std::clamp<std::int64_t>(passed.count(), 1, std::int64_t{1} << 30));
      const std::uint32_t before = mean();
      const std::uint32_t next =
          before == 0 ? now : before - before / 32 + std::min(now, 4 * before) / 32;
      mean_.store(next, std::memory_order_relaxed);
    }
    /// Nanoseconds; 0: none was timed.
    [[nodiscard]] std::uint32_t mean() const noexcept {
      return mean_.load(std::memory_order_relaxed);
    }

   private:
    std::atomic<std::uint32_t> mean_{0};
  };

  recent_mean near_, far_;
  std::atomic<bool> pays_{false};
};

}  // namespace deed::runtime
