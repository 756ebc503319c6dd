// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

/// @file
/// Calls of handlers that wait for a thread to run them.

namespace deed::transport::detail {

/// Runs calls one at a time and in order, on whichever thread comes by; nobody waits for another.
class inbox {
 public:
  void push(std::function<void()> call) {
    const std::scoped_lock hold(mutex_);
    calls_.push_back(std::move(call));
    open_.fetch_add(1, std::memory_order_release);
  }
  [[nodiscard]] bool empty() const noexcept { return open_.load(std::memory_order_acquire) == 0; }

  /// @return whether any ran here.
  bool run() {
    bool ran = false;
    // A call may be pushed after the loop and before the flag is down; hence the outer one.
    while (!empty() && !running_.exchange(true, std::memory_order_acquire)) {
      const lowered_on_exit lower{running_};
      while (run_one()) ran = true;
    }
    return ran;
  }

 private:
  struct lowered_on_exit {
    std::atomic<bool>& flag;
    ~lowered_on_exit() { flag.store(false, std::memory_order_release); }
  };
  struct counted_on_exit {
    std::atomic<int>& open;
    ~counted_on_exit() { open.fetch_sub(1, std::memory_order_acq_rel); }
  };

  bool run_one() {
    std::function<void()> call;
    {
      const std::scoped_lock hold(mutex_);
      if (calls_.empty()) return false;
      call = std::move(calls_.front());
      calls_.pop_front();
    }
    const counted_on_exit counted{open_};  // Not empty before the call has ended.
    call();
    return true;
  }

  std::mutex mutex_;
  std::deque<std::function<void()>> calls_;
  std::atomic<int> open_{0};
  std::atomic<bool> running_{false};
};

}  // namespace deed::transport::detail
