// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>

/// @file
/// Readers of a datum at home that need no request, and a writer that waits for the last of them.

namespace deed::gpu {

/// Counts them. A step of the driver lets them in; they leave at any time, in any thread.
class home_readers {
 public:
  /// In a step, while no writer waits.
  void enter() noexcept {
    // Relaxed: only who has adopted the driver looks at it, to keep away. The bit, if it is there,
    // is of a writer that went long ago.
    if (count_.fetch_add(1, std::memory_order_relaxed) & awaited)
      count_.fetch_and(~awaited, std::memory_order_relaxed);
  }
  /// @return whether a writer waits that has to be told: it was the last.
  [[nodiscard]] bool leave() noexcept {
    // Release; pairs with the acquire in `must_wait`.
    return count_.fetch_sub(1, std::memory_order_acq_rel) == (awaited | 1);
  }
  /// In a step: whether a writer must wait. If so, the last reader tells.
  [[nodiscard]] bool must_wait() noexcept {
    return any() && (count_.fetch_or(awaited, std::memory_order_acq_rel) & ~awaited) != 0;
  }
  [[nodiscard]] bool any() const noexcept {
    return (count_.load(std::memory_order_acquire) & ~awaited) != 0;
  }

 private:
  static constexpr std::uint32_t awaited = 1U << 31;
  std::atomic<std::uint32_t> count_{0};
};

}  // namespace deed::gpu
