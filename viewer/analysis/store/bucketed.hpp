// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/store/unset_vector.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

/// @file
/// From small numbers to rows.

namespace deed::viewer {

/// Rows by numbers below `count`; those of one number in their order.
/// Cost: two calls for each row.
template <class Row>
class bucketed {
 public:
  /// `tell(add)` calls `add(number, row)` for each row; it is asked twice, and says the same.
  bucketed(std::size_t count, const auto& tell) : starts_(count + 1) {
    tell([this](std::size_t number, const Row&) { ++starts_[number]; });
    std::size_t before = 0;
    for (std::size_t& each : starts_) each = (before += each);
    rows_.resize(before);
    // From the end of each to its start: so the starts need no second table.
    tell([this](std::size_t number, const Row& row) { rows_[--starts_[number]] = row; });
    for (std::size_t n = 0; n < count; ++n)
      std::reverse(rows_.begin() + static_cast<std::ptrdiff_t>(starts_[n]),
                   rows_.begin() + static_cast<std::ptrdiff_t>(starts_[n + 1]));
  }
  [[nodiscard]] std::span<const Row> of(std::size_t number) const {
    return std::span(rows_).subspan(starts_[number], starts_[number + 1] - starts_[number]);
  }

 private:
  std::vector<std::size_t> starts_;  // By number, and the end.
  unset_vector<Row> rows_;
};

}  // namespace deed::viewer
