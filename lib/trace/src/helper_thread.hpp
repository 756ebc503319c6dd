// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
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

}  // namespace deed::trace::detail
