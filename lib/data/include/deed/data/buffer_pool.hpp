// SPDX-License-Identifier: MIT
#pragma once

#include <deed/data/packed_buffer.hpp>

#include <cstddef>
#include <mutex>
#include <vector>

/// @file
/// A pool that keeps the memory of packed values warm.

namespace deed::data {

/// Buffers that were used and wait to be used again, so that packing touches no fresh page.
/// Threads: any, at any time. Cost: a lock.
class buffer_pool {
 public:
  /// Keeps up to `most_bytes` of idle memory.
  explicit buffer_pool(std::size_t most_bytes = std::size_t{64} << 20) noexcept
      : most_bytes_(most_bytes) {}

  /// An empty buffer, the one that was given back last.
  [[nodiscard]] packed_buffer take();
  void give_back(packed_buffer&& buffer) noexcept;
  [[nodiscard]] std::size_t idle_bytes() const;

 private:
  mutable std::mutex mutex_;
  std::vector<packed_buffer> idle_;
  std::size_t idle_bytes_ = 0;
  std::size_t most_bytes_;
};

}  // namespace deed::data
