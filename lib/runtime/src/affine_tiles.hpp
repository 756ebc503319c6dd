// SPDX-License-Identifier: MIT
#pragma once

#include <deed/runtime/owners.hpp>
#include <deed/runtime/tile_pattern.hpp>
#include <deed/runtime/tile_space.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

/// @file
/// Which pairs of indices name a tile, where its row and its column are a variable or a constant,
/// with an offset. Pure: no tiles, no ranks.

namespace deed::runtime {

/// The tile that an access names.
struct tile_form {
  affine row, col;
  friend bool operator==(const tile_form&, const tile_form&) = default;
};

/// Rows and columns of pairs; with a region, those of them that are in it.
struct pair_box {
  std::int64_t first_row = 0, last_row = 0, first_col = 0, last_col = 0;
  [[nodiscard]] bool empty() const noexcept {
    return first_row >= last_row || first_col >= last_col;
  }
  friend bool operator==(const pair_box&, const pair_box&) = default;
};

inline constexpr std::int64_t no_period = std::numeric_limits<std::int32_t>::max();

/// After how many rows, and columns, of pairs the owner of the tile that `form` names is the same
/// again, where the owners come again after `owners`.
[[nodiscard]] owner_period period_along(const tile_form& form, owner_period owners) noexcept;

/// The pairs of `region` for which `form` names tile `(r, c)`; it may have none inside, too.
[[nodiscard]] pair_box pairs_that_name(const tile_form& form, std::int64_t r, std::int64_t c,
                                       const tile_region& region) noexcept;

/// The first pair of `region`, row by row, whose tile is outside `rows` and `cols`.
[[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> first_outside(
    const tile_form& form, const tile_region& region, std::int64_t rows, std::int64_t cols);

/// Whether both name the same tile for a pair of `region`.
[[nodiscard]] bool meet(const tile_form& one, const tile_form& two, const tile_region& region);

/// Calls `each(i, first, last)` with the pairs of `region` in `box`, row by row: of what repeats
/// itself after `period`, those alone in which something can be for the first time. A box has one
/// row or all of the region, and one column or all.
template <class Each>
void for_each_row(const tile_region& region, const pair_box& box, owner_period period,
                  Each&& each) {
  const bool all_rows = box.last_row - box.first_row > 1;
  const std::int64_t last_col = std::min(box.last_col, box.first_col + period.cols);
  const std::int64_t first_row =
      region.below ? std::max(box.first_row, box.first_col + 1) : box.first_row;
  // Below the diagonal, column j begins in row j + 1, and what comes again in it, `period` later.
  std::int64_t last_row = box.last_row;
  if (all_rows) {
    const std::int64_t begin =
        region.below ? std::max(region.first_row, last_col) : region.first_row;
    last_row = std::min(last_row, begin + period.rows);
  }
  for (std::int64_t i = first_row; i < last_row; ++i) {
    std::int64_t first = box.first_col;
    if (all_rows && i >= region.first_row + period.rows) first = std::max(first, i - period.rows);
    const std::int64_t last = std::min(last_col, region.row_end(i));
    if (first < last) each(i, first, last);
  }
}

}  // namespace deed::runtime
