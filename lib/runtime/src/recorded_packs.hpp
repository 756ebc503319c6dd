// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/identity.hpp>
#include <deed/trace/recorder.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

/// @file
/// Messages of several transfers, in the recording.

namespace deed::runtime {

/// On their way from the thread that sent them to one that records: the first is inside the engine,
/// and may have no stream.
///
/// Threads: any. Cost: a lock per message of several transfers, where they are recorded.
class recorded_packs {
 public:
  void add(rank peer, std::uint32_t transfers, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    sent_.push_back({static_cast<std::uint32_t>(peer.value), transfers, bytes});
    any_.store(true, std::memory_order_relaxed);
  }
  [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  void write(trace::stream& to) {
    const std::lock_guard lock(mutex_);
    for (const auto& [peer, transfers, bytes] : std::exchange(sent_, {})) {
      to.xfer_pack(written_++, peer, static_cast<std::uint16_t>(transfers),
                   static_cast<std::uint32_t>(bytes));
    }
    any_.store(false, std::memory_order_relaxed);
  }

 private:
  struct message {
    std::uint32_t peer, transfers;
    std::size_t bytes;
  };
  std::mutex mutex_;
  std::vector<message> sent_;
  std::uint32_t written_ = 0;
  std::atomic<bool> any_{false};
};

}  // namespace deed::runtime
