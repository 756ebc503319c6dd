// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/memory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

/// @file
/// Bytes between blocks of any two shapes.

namespace deed::transport::detail {

/// Copies as many bytes as `from` has, row after row; `to` has room for them.
inline void copy(const const_memory_block& from, const memory_block& to) noexcept {
  if (from.bytes() == 0) return;
  if (from.contiguous() && to.contiguous()) {
    std::memcpy(to.address, from.address, from.bytes());
    return;
  }
  const std::size_t total = from.bytes();
  const std::size_t from_row = from.contiguous() ? total : from.row_bytes;
  const std::size_t to_row = to.contiguous() ? total : to.row_bytes;
  for (std::size_t done = 0; done < total;) {
    const std::size_t a = done % from_row, b = done % to_row;
    const std::size_t piece = std::min({from_row - a, to_row - b, total - done});
    std::memcpy(to.address + done / to_row * to.pitch + b,
                from.address + done / from_row * from.pitch + a, piece);
    done += piece;
  }
}

}  // namespace deed::transport::detail
