// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

/// @file
/// What a handler of signals says.

namespace deed::runtime {

/// A short text made without the heap, a lock or a locale; what does not fit is left out.
class plain_text {
 public:
  plain_text& operator<<(std::string_view text) noexcept {
    const std::size_t fits = std::min(text.size(), text_.size() - 1 - length_);
    std::memcpy(text_.data() + length_, text.data(), fits);
    length_ += fits;
    return *this;
  }
  plain_text& put(std::uint64_t number, int base = 10) noexcept {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
    return *this << std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
  }
  /// "heat.cpp:57".
  plain_text& put(place where) noexcept {
    const std::string_view path = where.file_name();
    return (*this << path.substr(path.rfind('/') + 1) << ":").put(where.line());
  }
  void print() const noexcept { static_cast<void>(!::write(STDERR_FILENO, text_.data(), length_)); }
  /// Ends with 0.
  [[nodiscard]] const char* data() const noexcept { return text_.data(); }
  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), length_}; }

 private:
  std::array<char, 1024> text_{};
  std::size_t length_ = 0;
};

}  // namespace deed::runtime
