// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

/// @file
/// Things that many threads hand to one.

namespace deed {

/// Linked through their member `next`, a pointer to a `Thing` or a base of it.
///
/// Threads: `push` and `empty` are for any; `take` too, and what it gives is the caller's alone.
template <class Thing>
class push_list {
 public:
  void push(Thing& one) noexcept { push(one, one); }
  /// A chain from `first` to `last`, linked already.
  void push(Thing& first, Thing& last) noexcept {
    Thing* newest = newest_.load(std::memory_order_relaxed);
    do {
      last.next = newest;
      // Release: pairs with the acquire in `take`.
    } while (!newest_.compare_exchange_weak(newest, &first, std::memory_order_release,
                                            std::memory_order_relaxed));
  }
  [[nodiscard]] bool empty() const noexcept {
    return newest_.load(std::memory_order_acquire) == nullptr;
  }
  /// All, the newest first; null if there are none. Where there are some, it releases what its
  /// caller did before.
  [[nodiscard]] Thing* take() noexcept {
    return empty() ? nullptr : newest_.exchange(nullptr, std::memory_order_acq_rel);
  }

 private:
  std::atomic<Thing*> newest_{nullptr};
};

}  // namespace deed
