// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <new>

/// @file
/// Where a worker's tasks have their scratch.

namespace deed::runtime {

/// Memory that grows to the most that was asked for. Threads: one.
class scratch_room {
 public:
  /// At least `bytes`, aligned to a cache line, with anything in it; good until the next call.
  /// Null for 0. Blocks: never. @throws deed::error D008; then there is none.
  [[nodiscard]] std::byte* take(std::size_t bytes);

 private:
  static constexpr std::align_val_t alignment{64};
  struct release {
    void operator()(std::byte* at) const noexcept { ::operator delete(at, alignment); }
  };
  std::unique_ptr<std::byte, release> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace deed::runtime
