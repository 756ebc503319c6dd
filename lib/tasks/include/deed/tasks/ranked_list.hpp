// SPDX-License-Identifier: MIT
#pragma once

#include <deed/tasks/vertex.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <tuple>
#include <vector>

/// @file
/// Vertices that are ready and have a priority of their own.

namespace deed::tasks {

/// By falling priority, and first in, first out among equals. Few vertices have one: it is looked
/// at before and behind the queue of all others, and then costs one load. Threads: any.
class ranked_list {
 public:
  /// `priority` is not 0: what is 0 goes through the ready queue.
  void push(vertex& ready, int priority) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({priority, ++pushed_, &ready});
    std::ranges::push_heap(waiting_, later);
    tell();
  }
  /// The first of those above 0. Null if there is none.
  [[nodiscard]] vertex* pop_urgent() {
    return urgent_.load(std::memory_order_relaxed) ? pop(true) : nullptr;
  }
  /// The first of all. Null if there is none.
  [[nodiscard]] vertex* pop() {
    return size_.load(std::memory_order_relaxed) != 0 ? pop(false) : nullptr;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }

 private:
  struct entry {
    int priority;
    std::uint64_t number;
    vertex* what;
  };
  static bool later(const entry& one, const entry& two) noexcept {
    return std::tuple(one.priority, two.number) < std::tuple(two.priority, one.number);
  }

  vertex* pop(bool urgent_only) {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() || (urgent_only && waiting_.front().priority <= 0)) return nullptr;
    std::ranges::pop_heap(waiting_, later);
    vertex* const first = waiting_.back().what;
    waiting_.pop_back();
    tell();
    return first;
  }
  void tell() noexcept {
    size_.store(waiting_.size(), std::memory_order_release);
    urgent_.store(!waiting_.empty() && waiting_.front().priority > 0, std::memory_order_release);
  }

  std::mutex mutex_;
  std::vector<entry> waiting_;  // A heap.
  std::uint64_t pushed_ = 0;
  std::atomic<std::size_t> size_{0};
  std::atomic<bool> urgent_{false};
};

}  // namespace deed::tasks
