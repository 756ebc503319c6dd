// SPDX-License-Identifier: MIT
#pragma once

#include <deed/tasks/vertex.hpp>

#include <atomic>

/// @file
/// What other threads leave for one of them.

namespace deed::tasks::detail {

/// Vertices are left one by one, and all are taken at once, in the order in which they were left.
/// Threads: any.
/// Cost: a compare-and-swap for each that is left; an exchange for all, and a step for each.
/// Source: the stack of R. K. Treiber, Systems programming: coping with parallelism, IBM RJ 5118,
/// 1986. As nobody takes a single one, no first that comes back can deceive.
class inbox {
 public:
  /// `room` lies in the memory of `one`, and nothing else uses it until that is taken.
  void leave(vertex& one, edge& room) noexcept {
    room.to = &one;
    room.next = newest_.load(std::memory_order_relaxed);
    while (!newest_.compare_exchange_weak(room.next, &room, std::memory_order_release,
                                          std::memory_order_relaxed)) {
    }
  }
  /// The oldest, from which `next` leads to the newest. Null: there is none.
  [[nodiscard]] edge* take_all() noexcept {
    if (empty()) return nullptr;  // Does not take the line from who is writing it.
    edge* left = newest_.exchange(nullptr, std::memory_order_acquire);
    edge* oldest = nullptr;
    while (left != nullptr) {
      edge* const older = left->next;
      left->next = oldest;
      oldest = left;
      left = older;
    }
    return oldest;
  }
  [[nodiscard]] bool empty() const noexcept {
    return newest_.load(std::memory_order_relaxed) == nullptr;
  }

 private:
  alignas(64) std::atomic<edge*> newest_{nullptr};
};

}  // namespace deed::tasks::detail
