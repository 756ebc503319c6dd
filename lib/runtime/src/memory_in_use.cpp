// SPDX-License-Identifier: MIT
#include "memory_in_use.hpp"

#include <iterator>

namespace deed::runtime {
namespace {

/// Calls `use(begin, end)` for each run of bytes without a gap, until it says no.
template <class Use>
void each_piece(const const_memory_block& block, Use&& use) {
  if (block.bytes() == 0) return;
  if (block.contiguous()) {
    use(block.address, block.address + block.bytes());
    return;
  }
  for (std::size_t row = 0; row < block.rows; ++row) {
    const std::byte* const begin = block.address + row * block.pitch;
    if (!use(begin, begin + block.row_bytes)) return;
  }
}

}  // namespace

std::optional<memory_overlap> memory_in_use::overlapping(const const_memory_block& wanted) const {
  std::optional<memory_overlap> found;
  each_piece(wanted, [&](const std::byte* begin, const std::byte* end) {
    // The last piece that begins before the end of this one is the only one that may reach into it.
    const auto after = pieces_.lower_bound(end);
    if (after == pieces_.begin()) return true;
    const auto& [address, last] = *std::prev(after);
    if (last.end <= begin) return true;
    const const_memory_block& whole = blocks_.at(last.datum);
    found = {last.datum, whole.address, span_of(whole)};
    return false;
  });
  return found;
}

void memory_in_use::add(ownership::slot datum, const const_memory_block& block) {
  blocks_.emplace(datum, block);
  each_piece(block, [&](const std::byte* begin, const std::byte* end) {
    pieces_.emplace(begin, piece{end, datum});
    return true;
  });
}

void memory_in_use::remove(ownership::slot datum) {
  const auto found = blocks_.find(datum);
  if (found == blocks_.end()) return;
  each_piece(found->second, [&](const std::byte* begin, const std::byte*) {
    pieces_.erase(begin);
    return true;
  });
  blocks_.erase(found);
}

}  // namespace deed::runtime
