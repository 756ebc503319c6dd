// SPDX-License-Identifier: MIT
#pragma once

#include <deed/data/block_pool.hpp>

#include <cstddef>
#include <cstring>
#include <new>

/// @file
/// The memory of a tile by itself, of the heap.

namespace deed::data::detail {

inline constexpr std::size_t line = 64;  // A cache line, and the widest vector register.

/// Aligned to a line; null if there is no memory.
[[nodiscard]] inline void* take_heap_block(std::size_t bytes, filling with) noexcept {
  void* const block = ::operator new(bytes, std::align_val_t{line}, std::nothrow);
  if (block != nullptr && with == filling::zeros) std::memset(block, 0, bytes);
  return block;
}

inline void free_heap_block(void* block) noexcept {
  ::operator delete(block, std::align_val_t{line});
}

}  // namespace deed::data::detail
