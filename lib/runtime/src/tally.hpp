// SPDX-License-Identifier: MIT
#pragma once

#include <deed/runtime/statistics.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>

/// @file
/// Counts that are kept where things happen, and added up when somebody asks.

namespace deed::runtime {

/// What copies of other ranks' data saved, as one thread of a session saw it. Threads: any; nearly
/// always its own.
class tally {
 public:
  /// A copy of a datum of `owner` was there, so that its bytes did not travel.
  void saved(int owner, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    saved_[owner] += bytes;
  }
  void add_to(statistics& sum) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [owner, bytes] : saved_) {
      sum.cache_of[owner].bytes_saved += bytes;
      sum.cache_bytes_saved += bytes;
    }
  }

 private:
  mutable std::mutex mutex_;
  std::map<int, std::uint64_t> saved_;
};

/// Bytes of the copies of other ranks' data that have memory here. Threads: any.
class copy_meter {
 public:
  void add(std::uint64_t bytes) noexcept {
    const std::uint64_t now = bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::uint64_t most = most_.load(std::memory_order_relaxed);
    while (most < now && !most_.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
    }
  }
  void remove(std::uint64_t bytes) noexcept { bytes_.fetch_sub(bytes, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return bytes_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t most() const noexcept {
    return most_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> most_{0};
};

}  // namespace deed::runtime
