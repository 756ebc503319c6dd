// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

/// @file
/// Memory that a packed value is written to.

namespace deed::data {

/// Bytes that grow at the end. New room is not filled, and `clear` keeps the memory.
/// Cost: appending is amortised O(bytes); beyond the first pages the kernel moves pages, not bytes.
class packed_buffer {
 public:
  packed_buffer() noexcept = default;
  packed_buffer(packed_buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  packed_buffer& operator=(packed_buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  packed_buffer(const packed_buffer&) = delete;  // Megabytes are not copied by accident: move it.
  ~packed_buffer();

  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

  void clear() noexcept { size_ = 0; }
  /// @throws std::bad_alloc if there is no memory; then nothing changed.
  void reserve(std::size_t bytes) {
    if (bytes > capacity_) grow_to(bytes);
  }
  /// Makes the end `bytes` further away and returns where the new room starts; fill it.
  std::byte* extend(std::size_t bytes) {
    if (bytes > capacity_ - size_) [[unlikely]]
      grow_by(bytes);
    std::byte* const start = data_ + size_;
    size_ += bytes;
    return start;
  }
  void append(const void* from, std::size_t bytes) {
    if (bytes == 0) return;  // `from` may be null then.
    std::memcpy(extend(bytes), from, bytes);
  }

 private:
  void grow_by(std::size_t bytes);
  void grow_to(std::size_t capacity);

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace deed::data
