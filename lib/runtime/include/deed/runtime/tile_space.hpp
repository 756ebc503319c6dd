// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

/// @file
/// The pairs of indices that `deed::for_each_tile` goes through: `deed::tile_box`,
/// `deed::lower_triangle`.

namespace deed {

namespace runtime {

/// A space of pairs (i, j): rows `[first_row, last_row)`, columns `[first_col, last_col)`, and of
/// these those with j < i alone if `below`. Row by row.
struct tile_region {
  std::int64_t first_row = 0, last_row = 0, first_col = 0, last_col = 0;
  bool below = false;

  /// Behind the last column of row `i`.
  [[nodiscard]] std::int64_t row_end(std::int64_t i) const noexcept {
    return below ? std::clamp(i, first_col, last_col) : last_col;
  }
  [[nodiscard]] bool empty() const noexcept {
    return first_row >= last_row || row_end(last_row - 1) <= first_col;
  }
  friend bool operator==(const tile_region&, const tile_region&) = default;
};

}  // namespace runtime

/// Pairs of indices in rows and columns of tiles, for `for (auto [i, j] : …)`, row by row.
class tile_box {
 public:
  struct iterator {
    std::size_t i, j, first, last;
    DEED_MODEL("pure") std::pair<std::size_t, std::size_t> operator*() const noexcept {
      return {i, j};
    }
    DEED_MODEL("pure") iterator& operator++() noexcept {
      if (++j == last) j = first, ++i;
      return *this;
    }
    DEED_MODEL("pure") bool operator==(const iterator& other) const noexcept {
      return i == other.i && j == other.j;
    }
  };
  /// Rows `[first_row, last_row)`, columns `[first_col, last_col)`; none if one of these is empty.
  tile_box(std::size_t first_row, std::size_t last_row, std::size_t first_col,
           std::size_t last_col) noexcept
      : first_row_(first_row),
        last_row_(first_col < last_col ? std::max(first_row, last_row) : first_row),
        first_col_(first_col),
        last_col_(last_col) {}
  [[nodiscard]] DEED_MODEL("pure") iterator begin() const noexcept {
    return {first_row_, first_col_, first_col_, last_col_};
  }
  [[nodiscard]] DEED_MODEL("pure") iterator end() const noexcept {
    return {last_row_, first_col_, first_col_, last_col_};
  }
  /// For the library.
  [[nodiscard]] runtime::tile_region region() const noexcept {
    const auto whole = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    return {whole(first_row_), whole(last_row_), whole(first_col_), whole(last_col_)};
  }

 private:
  std::size_t first_row_, last_row_, first_col_, last_col_;
};

/// The pairs (i, j) with `first` <= j < i < `last`, for `for (auto [i, j] : …)`, row by row: the
/// tiles below the diagonal of a square.
class lower_triangle {
 public:
  struct iterator {
    std::size_t i, j, first;
    DEED_MODEL("pure") std::pair<std::size_t, std::size_t> operator*() const noexcept {
      return {i, j};
    }
    DEED_MODEL("pure") iterator& operator++() noexcept {
      if (++j == i) j = first, ++i;
      return *this;
    }
    DEED_MODEL("pure") bool operator==(const iterator& other) const noexcept {
      return i == other.i && j == other.j;
    }
  };
  lower_triangle(std::size_t first, std::size_t last) noexcept
      : first_(first), last_(std::max(first + 1, last)) {}
  [[nodiscard]] DEED_MODEL("pure") iterator begin() const noexcept {
    return {first_ + 1, first_, first_};
  }
  [[nodiscard]] DEED_MODEL("pure") iterator end() const noexcept { return {last_, first_, first_}; }
  /// For the library.
  [[nodiscard]] runtime::tile_region region() const noexcept {
    const auto first = static_cast<std::int64_t>(first_), last = static_cast<std::int64_t>(last_);
    return {first + 1, last, first, last - 1, true};
  }

 private:
  std::size_t first_, last_;
};

namespace runtime {

/// A space of pairs of indices whose shape the library knows.
template <class Space>
concept known_space = requires(const Space& space) {
  { space.region() } -> std::same_as<tile_region>;
};

}  // namespace runtime

}  // namespace deed
