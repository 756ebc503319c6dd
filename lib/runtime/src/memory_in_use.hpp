// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/memory.hpp>
#include <deed/ownership/registrar.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

/// @file
/// The program's memory that data lie in, so that no byte of it has two handles.

namespace deed::runtime {

/// From the first byte of a block to its last, with what lies between its rows.
[[nodiscard]] inline std::size_t span_of(const const_memory_block& block) noexcept {
  return block.rows == 0 ? 0 : (block.rows - 1) * block.pitch + block.row_bytes;
}

/// Of a datum whose memory another one wants, with what lies between its rows.
struct memory_overlap {
  ownership::slot datum;
  const std::byte* address;
  std::size_t bytes;
};

/// Disjoint pieces of memory, by the data that lie there. Rows of a tile that do not lie one behind
/// the other are a piece each, so that tiles of one array may lie beside each other.
/// Cost: O(rows log n) for a tile with gaps, else O(log n).
class memory_in_use {
 public:
  /// The first datum that has a byte of `wanted`.
  [[nodiscard]] std::optional<memory_overlap> overlapping(const const_memory_block& wanted) const;
  /// `block` overlaps nothing.
  void add(ownership::slot datum, const const_memory_block& block);
  void remove(ownership::slot datum);

 private:
  struct piece {
    const std::byte* end;
    ownership::slot datum;
  };
  std::map<const std::byte*, piece, std::less<>> pieces_;  // By where they begin.
  std::unordered_map<ownership::slot, const_memory_block> blocks_;
};

}  // namespace deed::runtime
