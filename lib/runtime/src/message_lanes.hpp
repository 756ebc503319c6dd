// SPDX-License-Identifier: MIT
#pragma once

#include "node.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

/// @file
/// The order of explicit messages.

namespace deed::runtime {

/// Explicit messages that were submitted and not started. Those of one direction, peer and tag
/// start in the order of submission, whatever order they become ready in.
///
/// Threads: any. Cost: a lock, and no allocation once there were as many lanes at a time.
class message_lanes {
 public:
  message_lanes() : buckets_(64) {}

  /// `message` was submitted, with `ready`, `started` and `cancelled` false.
  void add(transfer_node& message);
  /// `message` waits for those before it only. Calls `start(transfer_node&)` for each that may go
  /// now, in order, outside the lock, never for two of a lane at a time.
  template <class Start>
  void release(transfer_node& message, Start&& start) {
    std::unique_lock lock(mutex_);
    message.ready = true;
    message_lane& lane = *message.lane;
    if (lane.starts) return;  // Whoever does comes to it.
    lane.starts = true;
    while (lane.first != nullptr && lane.first->ready) {
      transfer_node& next = *lane.first;
      lane.first = next.behind;
      lock.unlock();
      start(next);
      lock.lock();
    }
    lane.starts = false;
    if (lane.first == nullptr) remove(lane);
  }

  /// Those of which at least one has not started.
  [[nodiscard]] std::vector<lane_key> waiting();
  /// How many sends of one type have not started.
  [[nodiscard]] std::uint64_t waiting_sends(int peer, std::uint64_t channel, std::uint64_t tag,
                                            std::uint64_t type_hash);

  /// Protects `started`, `cancelled` and `request` of messages, too.
  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }

 private:
  void remove(message_lane& empty) noexcept;
  void grow();
  [[nodiscard]] message_lane*& bucket_of(const lane_key& key) noexcept {
    return buckets_[key.hash() & (buckets_.size() - 1)];
  }

  std::mutex mutex_;
  std::vector<message_lane*> buckets_;  // Chains; their number is a power of two.
  std::vector<std::unique_ptr<message_lane>> all_;
  message_lane* free_ = nullptr;
  std::size_t in_use_ = 0;
};

}  // namespace deed::runtime
