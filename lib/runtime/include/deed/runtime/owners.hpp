// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

/// @file
/// Rules that say which rank owns which tile.

namespace deed {

/// Owners in blocks of whole rows of tiles, as even as possible.
struct block {
  int ranks;
  [[nodiscard]] constexpr int operator()(std::size_t i, std::size_t, std::size_t tile_rows,
                                         std::size_t) const noexcept {
    return static_cast<int>(i * static_cast<std::size_t>(ranks) / tile_rows);
  }
};

/// Owners in a grid of ranks, as square as possible, laid over the tiles again and again.
/// Source: ScaLAPACK Users' Guide (Blackford et al., SIAM 1997), chapter 4.
struct block_cyclic {
  int grid_rows;
  int grid_cols;

  constexpr explicit block_cyclic(int ranks) noexcept : grid_rows(1), grid_cols(ranks) {
    for (int rows = 1; rows * rows <= ranks; ++rows) {
      if (ranks % rows == 0) grid_rows = rows, grid_cols = ranks / rows;
    }
  }
  constexpr block_cyclic(int rows, int cols) noexcept : grid_rows(rows), grid_cols(cols) {}
  [[nodiscard]] constexpr int operator()(std::size_t i, std::size_t j, std::size_t,
                                         std::size_t) const noexcept {
    return static_cast<int>(i % static_cast<std::size_t>(grid_rows)) * grid_cols +
           static_cast<int>(j % static_cast<std::size_t>(grid_cols));
  }
};

}  // namespace deed
