// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/stream.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace deed::gpu {

class event_pool;

/// An event of the pool; recorded once between leaving the pool and coming back.
struct pooled_event {
  event_ref ref;
  event_pool* pool = nullptr;
  stream_ref on;             ///< Where it was recorded.
  std::uint64_t number = 0;  ///< Records are numbered, over all streams.
  std::uint32_t users = 0;
  bool done = false;
};

/// Shares a pooled event; empty means "complete".
/// Threads: that of the device step, so the count is a plain number.
class event_handle {
 public:
  event_handle() noexcept = default;
  explicit event_handle(pooled_event* event) noexcept : event_(event) {
    if (event_) ++event_->users;
  }
  event_handle(const event_handle& other) noexcept : event_handle(other.event_) {}
  event_handle(event_handle&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  event_handle& operator=(event_handle other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~event_handle();

  [[nodiscard]] bool done() const noexcept { return event_ == nullptr || event_->done; }
  pooled_event* operator->() const noexcept { return event_; }
  friend bool operator==(const event_handle&, const event_handle&) = default;

 private:
  pooled_event* event_ = nullptr;
};

using event_list = std::vector<event_handle>;

/// Drops what is complete.
inline void prune(event_list& events) {
  std::erase_if(events, [](const event_handle& event) { return event.done(); });
}
[[nodiscard]] inline bool all_done(const event_list& events) noexcept {
  for (const auto& event : events) {
    if (!event.done()) return false;
  }
  return true;
}

/// The events of one device; none is destroyed before the end.
class event_pool {
 public:
  event_pool() = default;
  event_pool(const event_pool&) = delete;
  event_pool& operator=(const event_pool&) = delete;

  /// Empty if the pool has none to spare.
  [[nodiscard]] event_handle take();
  /// Adds an event to the pool's own and takes it.
  [[nodiscard]] event_handle adopt(event_ref fresh);
  void put_back(pooled_event* event) noexcept { free_.push_back(event); }
  [[nodiscard]] const std::deque<pooled_event>& all() const noexcept { return all_; }
  void all_complete() noexcept {
    for (auto& event : all_) event.done = true;
  }

 private:
  std::deque<pooled_event> all_;
  std::vector<pooled_event*> free_;
};

inline event_handle::~event_handle() {
  if (event_ && --event_->users == 0) event_->pool->put_back(event_);
}

inline event_handle event_pool::take() {
  if (free_.empty()) return {};
  pooled_event* event = free_.back();
  free_.pop_back();
  event->done = false;
  return event_handle(event);
}

inline event_handle event_pool::adopt(event_ref fresh) {
  free_.reserve(all_.size() + 1);  // So that putting back cannot fail.
  return event_handle(&all_.emplace_back(pooled_event{fresh, this, {nullptr, fresh.device()}}));
}

}  // namespace deed::gpu
