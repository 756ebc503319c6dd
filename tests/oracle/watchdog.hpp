// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

/// @file
/// A limit for each program of a campaign.

namespace oracle {

/// Calls `late` with the number of the program that takes longer than `patience`; it must not
/// return.
class watchdog {
 public:
  watchdog(std::chrono::seconds patience, std::function<void(std::uint64_t)> late)
      : patience_(patience),
        late_(std::move(late)),
        thread_([this](const std::stop_token& stop) { watch(stop); }) {}
  /// 0: nothing runs that could take too long.
  void begin(std::uint64_t seed) { current_.store(seed, std::memory_order_relaxed); }

 private:
  using steady_clock = std::chrono::steady_clock;

  void watch(const std::stop_token& stop) {
    std::uint64_t before = 0;
    auto since = steady_clock::now();
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const std::uint64_t now = current_.load(std::memory_order_relaxed);
      if (now != before) since = steady_clock::now();
      before = now;
      if (now != 0 && steady_clock::now() - since >= patience_) late_(now);
    }
  }

  std::chrono::seconds patience_;
  std::function<void(std::uint64_t)> late_;
  std::atomic<std::uint64_t> current_{0};
  std::jthread thread_;
};

}  // namespace oracle
