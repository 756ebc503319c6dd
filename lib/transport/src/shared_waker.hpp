// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

/// @file
/// Sleep and wake between processes.

namespace deed::transport::detail {

/// Threads of one process sleep until another process, or their own, has something for them.
/// `Futex` has `wait(word, seen, at_most)`, which returns at once unless the word is still `seen`,
/// and `wake_all(word)`.
///
/// Lies in memory that is zero before the first of its processes looks at it.
/// Cost: for who wakes, one look at a line that changes only when a thread falls asleep.
/// Source: U. Drepper, Futexes are tricky, 2011.
template <class Futex>
class shared_waker {
 public:
  static constexpr std::size_t bytes = 2 * sizeof(std::uint32_t);

  /// `memory` is aligned to 8.
  explicit shared_waker(std::byte* memory) noexcept
      : signals_(reinterpret_cast<std::uint32_t*>(memory)), sleepers_(signals_ + 1) {}

  [[nodiscard]] std::uint64_t signals() const noexcept {
    return std::atomic_ref<std::uint32_t>(*signals_).load(std::memory_order_seq_cst);
  }
  /// Ends every `rest`.
  void wake() const noexcept {
    std::atomic_ref<std::uint32_t>(*signals_).fetch_add(1, std::memory_order_seq_cst);
    if (anybody_sleeps()) Futex::wake_all(*signals_);
  }
  /// Ends every `rest` whose `anything` did not see what this process has left before.
  void wake_sleepers() const noexcept {
    if (anybody_sleeps()) wake();
  }
  /// Sleeps until there is a signal after `seen` or the time is over; not at all if `anything()`.
  template <class Anything>
  void rest(std::chrono::nanoseconds at_most, std::uint64_t seen, Anything anything) const {
    const std::atomic_ref<std::uint32_t> sleepers(*sleepers_);
    // Both sides write one and read the other, sequentially consistent: one of them sees the other.
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    if (signals() == seen && !anything())
      Futex::wait(*signals_, static_cast<std::uint32_t>(seen), at_most);
    sleepers.fetch_sub(1, std::memory_order_seq_cst);
  }

 private:
  [[nodiscard]] bool anybody_sleeps() const noexcept {
    return std::atomic_ref<std::uint32_t>(*sleepers_).load(std::memory_order_seq_cst) != 0;
  }
  std::uint32_t* signals_;
  std::uint32_t* sleepers_;
};

}  // namespace deed::transport::detail
