// SPDX-License-Identifier: MIT
#include <deed/runtime/tiled_matrix.hpp>

#include "report.hpp"

#include <limits>
#include <utility>
#include <vector>

namespace deed::runtime {

void check_extents(std::ptrdiff_t rows, std::ptrdiff_t cols, std::ptrdiff_t tile_rows,
                   std::ptrdiff_t tile_cols, std::string_view name, place where) {
  constexpr std::ptrdiff_t most = std::numeric_limits<int>::max();  // Of tiles in one direction.
  constexpr std::size_t most_tiles = std::numeric_limits<std::uint32_t>::max();
  const auto possible = [](std::ptrdiff_t all, std::ptrdiff_t part) {
    return all > 0 && part > 0 && (all - 1) / part < most;
  };
  const bool whole = cols > 0 && rows <= std::numeric_limits<std::ptrdiff_t>::max() / 16 / cols;
  if (possible(rows, tile_rows) && possible(cols, tile_cols) && whole &&
      tiles_over(rows, tile_rows) <= most_tiles / tiles_over(cols, tile_cols))
    return;
  throw error(error_code::impossible_extent, "the extents of " + quoted(name) + " are not possible",
              {{"registered", to_string(where)},
               {"rows, cols", std::to_string(rows) + ", " + std::to_string(cols)},
               {"of a tile", std::to_string(tile_rows) + ", " + std::to_string(tile_cols)}},
              "give extents of at least 1 that memory can hold");
}

void refuse_tile(std::string_view name, std::size_t i, std::size_t j, std::size_t rows,
                 std::size_t cols, place registered, place wanted,
                 std::optional<std::pair<std::int64_t, std::int64_t>> pair) {
  // As the program wrote it: `i - 1` of the first row is -1.
  const auto as_written = [](std::size_t index) {
    return std::to_string(static_cast<std::ptrdiff_t>(index));
  };
  std::vector<error::fact> facts{{"wanted", to_string(wanted)}};
  if (pair) {
    facts.push_back(
        {"task", "of (" + std::to_string(pair->first) + ", " + std::to_string(pair->second) + ")"});
  }
  facts.push_back({"registered", to_string(registered)});
  facts.push_back(
      {"tiles", std::to_string(rows) + " by " + std::to_string(cols) + ", from (0, 0)"});
  throw error(error_code::index_out_of_range,
              quoted(name) + " has no tile (" + as_written(i) + ", " + as_written(j) + ")",
              std::move(facts),
              "stay inside `indices()`, or inside `interior()` where neighbours are used");
}

void refuse_moved_matrix(place registered, place wanted) {
  throw error(error_code::moved_handle, "use of a matrix that was moved from",
              {{"wanted", to_string(wanted)}, {"registered", to_string(registered)}},
              "use the matrix it was moved into, or do this before the move");
}

}  // namespace deed::runtime
