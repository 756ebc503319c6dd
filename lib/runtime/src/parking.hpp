// SPDX-License-Identifier: MIT
#pragma once

#include "asymmetric_barrier.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

/// @file
/// Where threads sleep that have nothing to do.

namespace deed::runtime {

/// One thread without work sleeps at the network's door, so that a message wakes it; the others
/// sleep here.
class parking {
 public:
  explicit parking(const asymmetric_barrier& barrier) noexcept : barrier_(barrier) {}
  /// Sleeps unless `useful()`, until `wake_one`, `wake_all`, or `at_most`.
  template <class Useful>
  void sleep(Useful&& useful, std::chrono::nanoseconds at_most) {
    std::unique_lock lock(mutex_);
    sleepers_.fetch_add(1, std::memory_order_relaxed);
    barrier_.heavy();  // Before the look: pairs with `call_for_help`.
    const std::uint64_t seen = calls_;
    if (!useful()) woken_.wait_for(lock, at_most, [&] { return calls_ != seen; });
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
  }
  /// False, at the cost of a load, if nobody sleeps. After a barrier.
  bool wake_one() noexcept {
    if (sleepers_.load(std::memory_order_relaxed) == 0) return false;
    {
      const std::lock_guard lock(mutex_);
      ++calls_;
    }
    woken_.notify_one();
    return true;
  }
  void wake_all() noexcept {
    {
      const std::lock_guard lock(mutex_);
      ++calls_;
    }
    woken_.notify_all();
  }

 private:
  const asymmetric_barrier& barrier_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::atomic<int> sleepers_{0};
  std::uint64_t calls_ = 0;
};

}  // namespace deed::runtime
