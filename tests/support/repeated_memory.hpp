// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

/// @file
/// More elements than memory has, for tests of counts.

namespace test {

/// `bytes` addresses, behind which the same few megabytes lie again and again: whoever copies the
/// contents of one to another of that length copies them right, in 16 MiB of memory each.
class repeated_memory {
 public:
  static constexpr std::size_t period = std::size_t{16} << 20;

  explicit repeated_memory(std::size_t bytes) : bytes_(bytes) {
    const int file = memfd_create("repeated", 0);
    if (file < 0 || ftruncate(file, period) != 0) throw std::runtime_error("no memory file");
    at_ = mmap(nullptr, rounded(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (std::size_t done = 0; at_ != MAP_FAILED && done < rounded(); done += period) {
      void* const wanted = static_cast<char*>(at_) + done;
      if (mmap(wanted, period, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != wanted)
        throw std::runtime_error("memory cannot be repeated");
    }
    close(file);
    if (at_ == MAP_FAILED) throw std::runtime_error("no addresses");
  }
  ~repeated_memory() { munmap(at_, rounded()); }
  repeated_memory(const repeated_memory&) = delete;
  repeated_memory& operator=(const repeated_memory&) = delete;

  [[nodiscard]] std::span<std::uint8_t> elements() const noexcept {
    return {static_cast<std::uint8_t*>(at_), bytes_};
  }
  /// Each element from its place in the period.
  void fill() const {
    const auto first = elements().first(std::min(bytes_, period));
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = value_at(i);
  }
  [[nodiscard]] bool is_filled() const {
    const auto first = elements().first(std::min(bytes_, period));
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (first[i] != value_at(i)) return false;
    }
    return true;
  }

 private:
  static std::uint8_t value_at(std::size_t i) noexcept {
    return static_cast<std::uint8_t>((i * 0x9e3779b97f4a7c15u) >> 40);
  }
  [[nodiscard]] std::size_t rounded() const noexcept {
    return (bytes_ + period - 1) / period * period;
  }

  std::size_t bytes_;
  void* at_ = MAP_FAILED;
};

}  // namespace test
