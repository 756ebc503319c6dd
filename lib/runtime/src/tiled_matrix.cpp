// SPDX-License-Identifier: MIT
#include <deed/runtime/tiled_matrix.hpp>

#include "report.hpp"

#include <limits>

namespace deed::runtime {

void check_extents(std::ptrdiff_t rows, std::ptrdiff_t cols, std::ptrdiff_t tile_rows,
                   std::ptrdiff_t tile_cols, std::string_view name, place where) {
  constexpr std::ptrdiff_t most = std::numeric_limits<int>::max();  // Of tiles in one direction.
  const auto possible = [](std::ptrdiff_t all, std::ptrdiff_t part) {
    return all > 0 && part > 0 && (all - 1) / part < most;
  };
  const bool whole = cols > 0 && rows <= std::numeric_limits<std::ptrdiff_t>::max() / 16 / cols;
  if (possible(rows, tile_rows) && possible(cols, tile_cols) && whole) return;
  throw error(error_code::impossible_extent, "the extents of " + quoted(name) + " are not possible",
              {{"registered", to_string(where)},
               {"rows, cols", std::to_string(rows) + ", " + std::to_string(cols)},
               {"of a tile", std::to_string(tile_rows) + ", " + std::to_string(tile_cols)}},
              "give extents of at least 1 that memory can hold");
}

}  // namespace deed::runtime
