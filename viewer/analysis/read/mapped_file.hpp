// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

/// @file
/// The bytes of a file, for reading.

namespace deed::viewer {

/// Empty if the file cannot be opened, or is empty.
class mapped_file {
 public:
  mapped_file() = default;
  explicit mapped_file(const std::string& path);
  ~mapped_file();
  mapped_file(mapped_file&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  mapped_file& operator=(mapped_file&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  /// The memory may serve others; what is looked at again is read from the file again.
  void rest() const noexcept;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace deed::viewer
