// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

/// @file
/// Where a thread is in its program.

namespace deed {

/// Addresses of code: where a thread is, and from where each function was called, the innermost
/// first. Each lies in the instruction that calls, not behind it, so that its line is that of the
/// call.
///
/// Cost: no allocation; about a tenth of a microsecond per function. Empty where the platform
/// cannot unwind.
class call_stack {
 public:
  static constexpr std::size_t most = 32;

  constexpr call_stack() noexcept = default;
  /// Of whoever called the function that calls this.
  [[nodiscard]] static call_stack of_caller() noexcept;
  /// In a handler of signals: from the `interrupted` instruction on. What was found until then is
  /// there also where a damaged stack lets this fault. A first `of_caller` in the process has made
  /// ready what it uses.
  void unwind_from(const void* interrupted) noexcept;
  void add(const void* address) noexcept {
    if (count_ < most) addresses_[count_++] = address;
  }

  [[nodiscard]] std::span<const void* const> addresses() const noexcept {
    return {addresses_.data(), count_};
  }
  [[nodiscard]] bool full() const noexcept { return count_ == most; }

 private:
  std::array<const void*, most> addresses_{};
  std::uint32_t count_ = 0;
};

}  // namespace deed
