// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

/// @file
/// The progress lock.

namespace deed::transport::detail {

/// A mutex whose `try_lock` may be called by the thread that holds it: it says no. So a destination
/// callback, which runs under the lock, may submit.
/// Source: U. Drepper, Futexes are tricky, 2011 (mutex 2).
class progress_lock {
 public:
  [[nodiscard]] bool try_lock() noexcept {
    int free = 0;
    return state_.compare_exchange_strong(free, held, std::memory_order_seq_cst,
                                          std::memory_order_seq_cst);
  }
  /// Blocks: for one turn of the thread that makes progress. Not for the progress path.
  void lock() noexcept {
    if (try_lock()) return;
    while (state_.exchange(contended, std::memory_order_acquire) != 0) state_.wait(contended);
  }
  void unlock() noexcept {
    // Release; pairs with the acquires above.
    // Sequentially consistent for `engine::progress`, which looks for a word left before.
    if (state_.exchange(0, std::memory_order_seq_cst) == contended) state_.notify_one();
  }

 private:
  static constexpr int held = 1, contended = 2;
  std::atomic<int> state_{0};
};

}  // namespace deed::transport::detail
