// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>

#include <chrono>
#include <cstdint>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

/// @file
/// Where stamps come from.

namespace deed::trace::detail {

/// A counter that all cores of a node share, or the best replacement.
class stamp_source {
 public:
  enum class kind : std::uint8_t { tsc, monotonic, session };

  explicit stamp_source(const clock* session_clock) noexcept
      : session_clock_(session_clock), kind_(session_clock != nullptr ? kind::session : best()) {}

  [[nodiscard]] std::uint64_t now() const noexcept {
    switch (kind_) {
#if defined(__x86_64__)
      case kind::tsc:
        return __rdtsc();
#elif defined(__aarch64__)
      case kind::tsc: {
        std::uint64_t value;
        asm volatile("mrs %0, cntvct_el0" : "=r"(value));
        return value;
      }
#endif
      case kind::session:
        return static_cast<std::uint64_t>(session_clock_->now().count());
      default:
        return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                          std::chrono::nanoseconds{1});
    }
  }
  [[nodiscard]] kind what() const noexcept { return kind_; }

 private:
  static kind best() noexcept {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned invariant = 1u << 8;  // Constant rate, also in deep sleep.
    return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & invariant) != 0 ? kind::tsc
                                                                                : kind::monotonic;
#elif defined(__aarch64__)
    return kind::tsc;
#else
    return kind::monotonic;
#endif
  }

  const clock* session_clock_;
  kind kind_;
};

/// One moment on two clocks.
struct clock_anchor {
  std::uint64_t stamp = 0;
  std::int64_t epoch_ns = 0;

  /// The tightest of a few readings, so that an interruption between the two does not count.
  static clock_anchor take(const stamp_source& source) noexcept {
    clock_anchor best;
    std::uint64_t smallest = ~std::uint64_t{0};
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t before = source.now();
      const auto epoch = std::chrono::system_clock::now().time_since_epoch();
      const std::uint64_t after = source.now();
      if (after - before >= smallest) continue;
      smallest = after - before;
      best = {before + smallest / 2, std::chrono::nanoseconds(epoch).count()};
    }
    return best;
  }
};

/// The same, on the machine's steady clock. A reading, no search: what it is off by, an
/// interruption apart, is less than a microsecond.
struct steady_anchor {
  std::uint64_t stamp = 0;
  std::chrono::nanoseconds at{};

  static steady_anchor take(const stamp_source& source) noexcept {
    return {source.now(), std::chrono::steady_clock::now().time_since_epoch()};
  }
};

}  // namespace deed::trace::detail
