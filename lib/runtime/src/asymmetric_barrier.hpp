// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

/// @file
/// A barrier of which one side costs nothing.

namespace deed::runtime {

/// Two threads each write one thing and then read the other's: a sequentially consistent fence on
/// both sides makes one of them see what the other wrote. Where one side is a thousand times rarer,
/// it can pay for both: `heavy` makes every running thread of the process pass a fence, so that
/// `light` only has to keep the compiler from reordering.
/// Cost: `light` none, `heavy` some microseconds; where the kernel has no membarrier(2), a fence
///   each.
/// Source: membarrier(2), MEMBARRIER_CMD_PRIVATE_EXPEDITED.
class asymmetric_barrier {
 public:
  /// `needed`: false where threads take turns.
  explicit asymmetric_barrier(bool needed = true) noexcept;

  void light() const noexcept {
    if (one_sided_) [[likely]]
      std::atomic_signal_fence(std::memory_order_seq_cst);
    else
      std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  void heavy() const noexcept;

 private:
  bool needed_;
  bool one_sided_;
};

}  // namespace deed::runtime
