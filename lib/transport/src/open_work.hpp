// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>

/// @file
/// Whether anything of an engine is still to be done.

namespace deed::transport::detail {

/// Counts operations from the queue of submissions to their end.
///
/// Threads: `drains`, `opened` and `drained` on the holder of the progress lock; `completed` and
/// `is` on any.
class open_work {
 public:
  /// What was submitted is about to be taken, and counts from here on. Taking it publishes this.
  void drains() noexcept { draining_.store(true, std::memory_order_relaxed); }
  /// A send was taken, or a receive matched. One writer at a time: no locked instruction.
  void opened() noexcept {
    opened_.store(opened_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  void drained() noexcept { draining_.store(false, std::memory_order_release); }
  /// Of those that were opened, and what they lead to has been done.
  void completed(std::int64_t count) noexcept {
    completed_.fetch_add(count, std::memory_order_acq_rel);
  }
  /// So many are open, none is in the queue, and no call waits or runs. It may have changed before
  /// the caller hears of it; but it does not say so of work that was there all the time.
  template <class Queue, class Calls>
  [[nodiscard]] bool is(std::int64_t open, const Queue& submitted,
                        const Calls& calls) const noexcept {
    // First: what completes from here on, and may lead to a call, counts as open below.
    const std::int64_t completed = completed_.load(std::memory_order_acquire);
    if (!calls.empty()) return false;  // A call submits before it ends.
    // What was in the queue is being drained, or counts as opened.
    if (!submitted.empty() || draining_.load(std::memory_order_acquire)) return false;
    return opened_.load(std::memory_order_acquire) == completed + open;
  }

 private:
  std::atomic<std::int64_t> opened_{0}, completed_{0};
  std::atomic<bool> draining_{false};
};

}  // namespace deed::transport::detail
