// SPDX-License-Identifier: MIT
#include "message_lanes.hpp"

#include <deed/base/random.hpp>

#include <utility>

namespace deed::runtime {
namespace {

lane_key key_of(const transfer_node& message) {
  const bool sends = message.kind == node_kind::send;
  const transport::transfer& what = sends ? message.sending.what : message.receiving.what;
  return {message.kind, sends ? message.sending.peer.value : message.receiving.peer.value,
          what.version, what.tag};
}

}  // namespace

std::size_t lane_key::hash() const noexcept {
  return mix(mix(tag, channel),
             2 * static_cast<std::uint64_t>(peer) + (direction == node_kind::send ? 1 : 0));
}

void message_lanes::add(transfer_node& message) {
  const lane_key key = key_of(message);
  message.behind = nullptr;
  const std::lock_guard lock(mutex_);
  message_lane* lane = bucket_of(key);
  while (lane != nullptr && lane->key != key) lane = lane->next;
  if (lane == nullptr) {
    if (in_use_ == buckets_.size()) grow();
    if (free_ == nullptr) free_ = all_.emplace_back(std::make_unique<message_lane>()).get();
    lane = std::exchange(free_, free_->next);
    message_lane*& bucket = bucket_of(key);
    *lane = {.key = key, .next = std::exchange(bucket, lane)};
    ++in_use_;
  }
  message.lane = lane;
  (lane->first == nullptr ? lane->first : lane->last->behind) = &message;
  lane->last = &message;
}

std::vector<lane_key> message_lanes::waiting() {
  std::vector<lane_key> found;
  const std::lock_guard lock(mutex_);
  for (const message_lane* lane : buckets_) {
    for (; lane != nullptr; lane = lane->next)
      if (lane->first != nullptr) found.push_back(lane->key);
  }
  return found;
}

std::uint64_t message_lanes::waiting_sends(int peer, std::uint64_t channel, std::uint64_t tag,
                                           std::uint64_t type_hash) {
  const lane_key key{node_kind::send, peer, channel, tag};
  std::uint64_t found = 0;
  const std::lock_guard lock(mutex_);
  for (const message_lane* lane = bucket_of(key); lane != nullptr; lane = lane->next) {
    if (lane->key != key) continue;
    for (const transfer_node* at = lane->first; at != nullptr; at = at->behind)
      found += at->sending.what.type_hash == type_hash ? 1 : 0;
  }
  return found;
}

void message_lanes::remove(message_lane& empty) noexcept {
  message_lane** at = &bucket_of(empty.key);
  while (*at != &empty) at = &(*at)->next;
  *at = empty.next;
  empty.next = std::exchange(free_, &empty);
  --in_use_;
}

void message_lanes::grow() {
  std::vector<message_lane*> before(2 * buckets_.size());
  before.swap(buckets_);
  for (message_lane* lane : before) {
    while (lane != nullptr) {
      message_lane*& bucket = bucket_of(lane->key);
      message_lane* const next = std::exchange(lane->next, bucket);
      bucket = std::exchange(lane, next);
    }
  }
}

}  // namespace deed::runtime
