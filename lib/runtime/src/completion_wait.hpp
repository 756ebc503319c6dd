// SPDX-License-Identifier: MIT
#pragma once

#include "asymmetric_barrier.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

/// @file
/// Where the submitter sleeps while its window is full.

namespace deed::runtime {

/// One thread sleeps until so many nodes are complete; those that complete them look, now and then,
/// whether it is time to wake it. Cost of a look, while nobody sleeps: a load.
class completion_wait {
 public:
  explicit completion_wait(const asymmetric_barrier& barrier) noexcept : barrier_(barrier) {}

  /// Sleeps unless `completed() >= nodes`, until `wake` finds that it is, somebody is out of work,
  /// `wake_all`, or `at_most`. Threads: one.
  template <class Completed>
  void sleep(std::uint64_t nodes, Completed&& completed, std::chrono::nanoseconds at_most) {
    std::unique_lock lock(mutex_);
    // With the mutex, as all that changes it: who takes it away finds a sleeper to wake.
    awaited_.store(nodes, std::memory_order_relaxed);
    barrier_.heavy();  // What is awaited, then the look.
    if (completed() < nodes) {
      woken_.wait_for(lock, at_most,
                      [&] { return awaited_.load(std::memory_order_relaxed) == nobody; });
    }
    awaited_.store(nobody, std::memory_order_relaxed);
  }
  template <class Completed>
  void wake(bool out_of_work, Completed&& completed) noexcept {
    const std::uint64_t awaited = awaited_.load(std::memory_order_relaxed);
    if (awaited != nobody && (out_of_work || completed() >= awaited)) wake_all();
  }
  void wake_all() noexcept {
    {
      const std::lock_guard lock(mutex_);
      awaited_.store(nobody, std::memory_order_relaxed);
    }
    woken_.notify_one();
  }

 private:
  static constexpr std::uint64_t nobody = ~std::uint64_t{0};

  const asymmetric_barrier& barrier_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::atomic<std::uint64_t> awaited_{nobody};  // Of nodes complete.
};

}  // namespace deed::runtime
