// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

/// @file
/// Sleep and wake for endpoints of real threads.

namespace deed::transport::detail {

/// Counts signals; sleepers wake when the count changes.
class waker {
 public:
  [[nodiscard]] std::uint64_t signals() const noexcept {
    return signals_.load(std::memory_order_seq_cst);
  }

  void wake() noexcept {
    // Both sides write one and read the other, sequentially consistent: one of them sees the other.
    signals_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
    {
      const std::scoped_lock hold(mutex_);
    }  // The sleeper is inside its wait, or has not looked.
    changed_.notify_all();
  }

  void rest(std::chrono::nanoseconds at_most, std::uint64_t seen) {
    if (signals() != seen) return;
    std::unique_lock hold(mutex_);
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    const auto changed = [&] { return signals() != seen; };
    if (at_most > std::chrono::hours{24}) {
      changed_.wait(hold, changed);
    } else {
      changed_.wait_for(hold, at_most, changed);
    }
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
  }

 private:
  std::atomic<std::uint64_t> signals_{1};
  std::atomic<int> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace deed::transport::detail
