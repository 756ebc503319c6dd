// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

/// @file
/// Time comes through the session: real on real ranks, virtual on simulated ones.

namespace deed {

/// Time since some fixed moment of the run; never goes back.
/// Threads: any.
class clock {
 public:
  virtual ~clock() = default;
  [[nodiscard]] virtual std::chrono::nanoseconds now() const noexcept = 0;
};

/// The machine's monotonic clock.
class real_clock final : public clock {
 public:
  [[nodiscard]] std::chrono::nanoseconds now() const noexcept override {
    return std::chrono::steady_clock::now().time_since_epoch();
  }
};

}  // namespace deed
