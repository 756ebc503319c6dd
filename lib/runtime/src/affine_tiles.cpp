// SPDX-License-Identifier: MIT
#include "affine_tiles.hpp"

#include <numeric>

namespace deed::runtime {
namespace {

using variable = affine::variable;

/// Coefficients of the variables.
std::int64_t of(variable which, const affine& form) { return form.of == which ? 1 : 0; }

std::int64_t period_of_both(bool rows_move, bool cols_move, owner_period owners) {
  const auto of_one = [](bool moves, std::int64_t period) {
    return !moves ? 1 : period == 0 ? no_period : period;
  };
  const std::int64_t rows = of_one(rows_move, owners.rows), cols = of_one(cols_move, owners.cols);
  if (rows == no_period || cols == no_period) return no_period;
  return std::min(no_period, std::lcm(rows, cols));
}

/// Makes `[first, last)` what of it solves `form == value`.
void solve(const affine& form, std::int64_t value, variable which, std::int64_t& first,
           std::int64_t& last) {
  if (form.of != which) return;
  first = std::max(first, value - form.offset);
  last = std::min(last, value - form.offset + 1);
}

/// `i * of_i + j * of_j == value`; a coefficient is -1, 0 or 1.
struct equation {
  std::int64_t of_i, of_j, value;

  equation(const affine& one, const affine& two)
      : of_i(of(variable::i, one) - of(variable::i, two)),
        of_j(of(variable::j, one) - of(variable::j, two)),
        value(two.offset - one.offset) {}
  /// Makes `pairs` those of them that may solve it, by one index alone.
  void restrict(pair_box& pairs) const {
    if (of_i == 0 && of_j == 0 && value != 0) pairs = {};
    if (of_i != 0 && of_j == 0)
      solve({0, variable::i}, of_i * value, variable::i, pairs.first_row, pairs.last_row);
    if (of_i == 0 && of_j != 0)
      solve({0, variable::j}, of_j * value, variable::j, pairs.first_col, pairs.last_col);
  }
  /// The columns of row `i` in `[first, last)` that solve it, where both indices stand in it.
  void solve_in_row(std::int64_t i, std::int64_t& first, std::int64_t& last) const {
    if (of_i == 0 || of_j == 0) return;
    const std::int64_t j = of_j * (value - of_i * i);
    first = std::max(first, j);
    last = std::min(last, j + 1);
  }
};

}  // namespace

owner_period period_along(const tile_form& form, owner_period owners) noexcept {
  const auto along = [&](variable which) {
    return period_of_both(form.row.of == which, form.col.of == which, owners);
  };
  return {along(variable::i), along(variable::j)};
}

pair_box pairs_that_name(const tile_form& form, std::int64_t r, std::int64_t c,
                         const tile_region& region) noexcept {
  pair_box found{region.first_row, region.last_row, region.first_col, region.last_col};
  for (const auto& [one, value] : {std::pair(form.row, r), std::pair(form.col, c)}) {
    if (one.of == variable::none && one.offset != value) return {};
    solve(one, value, variable::i, found.first_row, found.last_row);
    solve(one, value, variable::j, found.first_col, found.last_col);
  }
  if (!found.empty() && region.row_end(found.last_row - 1) <= found.first_col) return {};
  return found.empty() ? pair_box{} : found;
}

std::optional<std::pair<std::int64_t, std::int64_t>> first_outside(const tile_form& form,
                                                                   const tile_region& region,
                                                                   std::int64_t rows,
                                                                   std::int64_t cols) {
  if (region.empty()) return std::nullopt;
  const auto inside = [&](std::int64_t i, std::int64_t j) {
    const std::int64_t r = form.row.at(i, j), c = form.col.at(i, j);
    return r >= 0 && r < rows && c >= 0 && c < cols;
  };
  const std::int64_t first_row =
      region.below ? std::max(region.first_row, region.first_col + 1) : region.first_row;
  const std::int64_t last_row = region.last_row - 1, last_col = region.row_end(last_row) - 1;
  // Each index depends on one variable, and has its extremes where that has.
  if (inside(first_row, region.first_col) && inside(last_row, last_col)) return std::nullopt;
  for (std::int64_t i = first_row;; ++i) {
    for (std::int64_t j = region.first_col; j < region.row_end(i); ++j) {
      if (!inside(i, j)) return std::pair(i, j);
    }
  }
}

bool meet(const tile_form& one, const tile_form& two, const tile_region& region) {
  const equation rows(one.row, two.row), cols(one.col, two.col);
  pair_box pairs{region.first_row, region.last_row, region.first_col, region.last_col};
  rows.restrict(pairs);
  cols.restrict(pairs);
  if (pairs.empty()) return false;
  for (std::int64_t i = pairs.first_row; i < pairs.last_row; ++i) {
    std::int64_t first = pairs.first_col, last = std::min(pairs.last_col, region.row_end(i));
    rows.solve_in_row(i, first, last);
    cols.solve_in_row(i, first, last);
    if (first < last) return true;
  }
  return false;
}

}  // namespace deed::runtime
