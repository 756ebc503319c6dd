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
  /// Memory of no file; empty if there is not so much.
  static mapped_file memory(std::size_t size);
  mapped_file(mapped_file&& other) noexcept
      : bytes_(std::exchange(other.bytes_, {})), of_file_(other.of_file_) {}
  mapped_file& operator=(mapped_file&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(of_file_, other.of_file_);
    return *this;
  }

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  /// Of `memory` alone.
  [[nodiscard]] std::span<std::byte> writable() noexcept {
    return {const_cast<std::byte*>(bytes_.data()), of_file_ ? 0 : bytes_.size()};
  }
  /// All of it is looked at soon: at once it takes less than page by page.
  void fetch() const noexcept;
  /// The memory of a file may serve others; what is looked at again is read from the file again.
  void rest() const noexcept;

 private:
  std::span<const std::byte> bytes_;
  bool of_file_ = true;
};

}  // namespace deed::viewer
