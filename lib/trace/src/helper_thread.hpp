// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

/// @file
/// The thread that keeps packets ready.

namespace deed::trace::detail {

/// Calls `work` after each `wake`, and sleeps in between.
class helper_thread {
 public:
  explicit helper_thread(std::function<void()> work)
      : thread_([this, todo = std::move(work)](const std::stop_token& stop) {
          std::uint32_t seen = 0;
          while (!stop.stop_requested()) {
            todo();
            wanted_.wait(seen, std::memory_order_acquire);
            seen = wanted_.load(std::memory_order_acquire);
          }
        }) {}
  ~helper_thread() {
    thread_.request_stop();
    wake();
  }

  /// Cost: an atomic increment; a system call if the thread sleeps.
  void wake() noexcept {
    wanted_.fetch_add(1, std::memory_order_release);  // Pairs with the acquire in the loop.
    wanted_.notify_one();
  }

 private:
  std::atomic<std::uint32_t> wanted_{0};
  std::jthread thread_;
};

/// Calls `work` once a period, and once more at its end.
class periodic_thread {
 public:
  periodic_thread(std::chrono::milliseconds period, std::function<void()> work)
      : thread_([this, period, todo = std::move(work)](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          while (!stop.stop_requested()) {
            asked_to_stop_.wait_for(lock, stop, period, [] { return false; });
            todo();
          }
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any asked_to_stop_;
  std::jthread thread_;  // Last: it uses the others, and its end waits for it.
};

}  // namespace deed::trace::detail
