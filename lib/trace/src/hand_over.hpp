// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>

/// @file
/// How prepared things reach the thread that uses them.

namespace deed::trace::detail {

/// One thing stands ready, one is in use, and their maker hears which.
///
/// Threads: `take` and `uses` on the user's, the others on the maker's.
template <class Thing>
class hand_over {
 public:
  /// What stands ready, or null. The release of `offer` pairs with this acquire: it is complete.
  [[nodiscard]] Thing* take() noexcept {
    return ready_.exchange(nullptr, std::memory_order_acquire);
  }
  /// The user no longer touches things of a lower number.
  void uses(std::uint32_t number) noexcept { used_.store(number, std::memory_order_release); }

  [[nodiscard]] bool wants_one() const noexcept {
    return ready_.load(std::memory_order_relaxed) == nullptr;
  }
  void offer(Thing& made) noexcept { ready_.store(&made, std::memory_order_release); }
  /// What has a lower number may end.
  [[nodiscard]] std::uint32_t used() const noexcept {
    return used_.load(std::memory_order_acquire);
  }

 private:
  std::atomic<Thing*> ready_{nullptr};
  std::atomic<std::uint32_t> used_{0};
};

}  // namespace deed::trace::detail
