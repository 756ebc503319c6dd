// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <utility>

namespace deed::gpu {

inline constexpr std::size_t page_bytes = 4096;  // Of the processor.

constexpr std::size_t up_to_page(std::size_t bytes) noexcept {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// The memory of one emulated device: addresses that nobody can touch, and the bytes behind them.
/// Freed ranges stay in quarantine, and nothing lies next to anything: a page guards each end.
/// `shared`: the bytes can be mapped once more, as `emulated_windows` does.
class emulated_memory {
 public:
  explicit emulated_memory(std::size_t capacity_bytes, bool shared = false);
  emulated_memory(const emulated_memory&) = delete;
  emulated_memory& operator=(const emulated_memory&) = delete;
  ~emulated_memory();

  /// Null if the capacity is used up.
  [[nodiscard]] void* allocate(std::size_t bytes) noexcept;
  /// False if `address` is no live allocation.
  bool release(void* address) noexcept;
  /// The bytes of `[address, address + bytes)`; null unless one live allocation holds all of them.
  [[nodiscard]] std::byte* shadow(const void* address, std::size_t bytes) const noexcept;
  [[nodiscard]] bool owns(const void* address) const noexcept;

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t used() const noexcept { return used_; }
  [[nodiscard]] std::size_t peak() const noexcept { return peak_; }
  [[nodiscard]] std::size_t live() const noexcept { return live_.size(); }

 private:
  struct range {
    std::size_t bytes;
    std::size_t reserved;
  };
  [[nodiscard]] std::size_t reserve(std::size_t bytes) noexcept;

  std::size_t capacity_;
  bool shared_;
  std::size_t span_;
  std::byte* device_base_ = nullptr;
  std::byte* shadow_base_ = nullptr;
  std::size_t next_ = 0;
  std::size_t used_ = 0;
  std::size_t peak_ = 0;
  std::map<std::size_t, range> live_;
  std::deque<std::pair<std::size_t, std::size_t>> quarantine_;
};

}  // namespace deed::gpu
