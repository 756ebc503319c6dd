// SPDX-License-Identifier: MIT
#pragma once

#include <deed/ownership/codelet.hpp>

#include "locality.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

/// @file
/// What this rank knows of a codelet.

namespace deed::runtime {

/// A codelet that this rank met.
struct known_codelet : ownership::codelet_info {
  known_codelet(const ownership::codelet_info& codelet, std::uint32_t met)
      : codelet_info(codelet), index(met) {}

  std::uint32_t index;             // In the order in which this rank met them.
  std::uint16_t number = 0;        // In the recording.
  std::uint64_t hash = 0;          // Of the name: equal on all ranks.
  mutable std::uint8_t brief = 0;  // See `is_brief`; atomic.
  mutable locality where_written;  // Tasks that write much.

  /// A task of it took so long. Threads: any.
  void took(std::chrono::nanoseconds passed) const noexcept {
    const std::atomic_ref known(brief);
    const std::uint8_t before = known.load(std::memory_order_relaxed);
    const std::uint8_t now = passed <= std::chrono::microseconds(2) ? sure : before / sure;
    if (now != before) known.store(now, std::memory_order_relaxed);
  }
  /// Whether its tasks take a microsecond or two, where they were timed. One that took longer is
  /// let pass: that may have been the system's doing. Threads: any.
  [[nodiscard]] bool is_brief() const noexcept {
    return std::atomic_ref(brief).load(std::memory_order_relaxed) != 0;
  }

  static constexpr std::uint8_t sure = 2;  // 1: but for the last.
};

}  // namespace deed::runtime
