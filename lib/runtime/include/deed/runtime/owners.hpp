// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

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

namespace runtime {

/// After how many rows, and columns, the owners of tiles come again; 0: nobody knows.
struct owner_period {
  std::int64_t rows = 0, cols = 0;
};
template <class Rule>
owner_period period_of(const Rule& rule) noexcept {
  if constexpr (std::is_same_v<Rule, block>) {
    return {0, 1};
  } else if constexpr (std::is_same_v<Rule, block_cyclic>) {
    return {rule.grid_rows, rule.grid_cols};
  } else {
    return {};
  }
}

}  // namespace runtime

/// Which rank owns tile `(i, j)`, or part: `block`, `block_cyclic`, or any function of `(i, j)`, or
/// of the number of the tile row by row, that gives an `int`, equal on all ranks.
class owner_rule {
 public:
  template <class Rule>
    requires std::is_invocable_r_v<int, const Rule&, std::size_t, std::size_t, std::size_t,
                                   std::size_t>
  owner_rule(Rule rule)
      : rule_(rule),
        period_(runtime::period_of(rule)),
        of_library_(std::is_same_v<Rule, block> || std::is_same_v<Rule, block_cyclic>) {}
  template <class Rule>
    requires std::is_invocable_r_v<int, const Rule&, std::size_t, std::size_t>
  owner_rule(Rule rule)
      : rule_([rule](std::size_t i, std::size_t j, std::size_t, std::size_t) {
          return rule(i, j);
        }) {}
  template <class Rule>
    requires std::is_invocable_r_v<int, const Rule&, std::size_t>
  owner_rule(Rule rule)
      : rule_([rule](std::size_t i, std::size_t j, std::size_t, std::size_t cols) {
          return rule(i * cols + j);
        }) {}

  [[nodiscard]] int operator()(std::size_t i, std::size_t j, std::size_t rows,
                               std::size_t cols) const {
    return rule_(i, j, rows, cols);
  }
  /// Whether it may be asked at any time. A rule of the program may refer to what is gone by then.
  [[nodiscard]] bool of_library() const noexcept { return of_library_; }
  [[nodiscard]] runtime::owner_period period() const noexcept { return period_; }

 private:
  std::function<int(std::size_t, std::size_t, std::size_t, std::size_t)> rule_;
  runtime::owner_period period_;
  bool of_library_ = false;
};

}  // namespace deed
