// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/checked.hpp>

#include <cassert>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>

/// @file
/// `deed::tile`: a rectangle of elements, as a task sees it.

namespace deed {

namespace data {

/// @throws deed::error D214.
[[noreturn]] void refuse_row(std::size_t row, std::size_t rows, place where);
[[noreturn]] void refuse_column(std::size_t column, std::size_t columns, place where);
[[noreturn]] void refuse_part(std::size_t first, std::size_t count, std::size_t extent,
                              place where);

constexpr void check_row(std::size_t, std::size_t, unchecked_place) noexcept {}
constexpr void check_row(std::size_t row, std::size_t rows, place where) {
  if (row >= rows) [[unlikely]]
    refuse_row(row, rows, where);
}
constexpr void check_column(std::size_t, std::size_t, unchecked_place) noexcept {}
constexpr void check_column(std::size_t column, std::size_t columns, place where) {
  if (column >= columns) [[unlikely]]
    refuse_column(column, columns, where);
}
constexpr void check_part(std::size_t, std::size_t, std::size_t, unchecked_place) noexcept {}
constexpr void check_part(std::size_t first, std::size_t count, std::size_t extent, place where) {
  if (first > extent || count > extent - first) [[unlikely]]
    refuse_part(first, count, extent, where);
}

}  // namespace data

/// A view of `[rows, cols]` elements, row-major; rows lie `row_stride()` elements apart.
/// Not an owner: the runtime lends it to a task or a borrow, and it ends with them.
///
/// `tile<const double>` reads, `tile<double>` writes; the first is made from the second.
/// Builds without `NDEBUG`, and those with `DEED_HARDENED`, check each index; others none.
/// @throws deed::error D214 in these, if an index is out of range.
///
/// Loops over rows vectorise, since a row is contiguous:
/// @code{.cpp}
/// for (std::span<double> row : tile)
///   for (double& x : row) x *= 2;
/// @endcode
template <class E>
class DEED_MODEL("type", "view") tile {
 public:
  using element_type = E;
  using value_type = std::remove_cv_t<E>;
  using row_type = std::span<E>;

  /// Goes from row to row.
  class iterator {
   public:
    using value_type = row_type;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;
    constexpr iterator() noexcept = default;
    constexpr iterator(const tile& over, std::size_t row) noexcept : over_(over), row_(row) {}
    constexpr row_type operator*() const { return over_.row_at(row_); }
    constexpr iterator& operator++() noexcept { return ++row_, *this; }
    constexpr iterator operator++(int) noexcept { return {over_, row_++}; }
    constexpr bool operator==(const iterator& other) const noexcept { return row_ == other.row_; }

   private:
    tile over_;
    std::size_t row_ = 0;
  };

  constexpr tile() noexcept = default;
  constexpr tile(E* data, std::size_t rows, std::size_t cols) noexcept
      : tile(data, rows, cols, cols) {}
  /// `row_stride`: elements from the start of one row to the next, at least `cols`.
  constexpr tile(E* data, std::size_t rows, std::size_t cols, std::size_t row_stride) noexcept
      : data_(data), rows_(rows), cols_(cols), row_stride_(row_stride) {
    assert(rows <= 1 || row_stride >= cols);
  }
  template <class Other>
    requires(std::is_const_v<E> && std::is_same_v<Other, value_type>)
  constexpr tile(const tile<Other>& other) noexcept  // Reading what may be written is safe.
      : tile(other.data(), other.rows(), other.cols(), other.row_stride()) {}

  [[nodiscard]] constexpr E& operator()(std::size_t i, std::size_t j,
                                        checked_place where = checked_place::current()) const {
    data::check_row(i, rows_, where);
    data::check_column(j, cols_, where);
    return data_[i * row_stride_ + j];
  }
  [[nodiscard]] DEED_MODEL("index", 0) constexpr row_type
      row(std::size_t i, checked_place where = checked_place::current()) const {
    data::check_row(i, rows_, where);
    return row_at(i);
  }
  /// A rectangle of this one, its first element at `(i, j)`.
  [[nodiscard]] constexpr tile part(std::size_t i, std::size_t j, std::size_t rows,
                                    std::size_t cols,
                                    checked_place where = checked_place::current()) const {
    data::check_part(i, rows, rows_, where);
    data::check_part(j, cols, cols_, where);
    return {data_ + i * row_stride_ + j, rows, cols, row_stride_};
  }

  [[nodiscard]] DEED_MODEL("extent", 0) constexpr std::size_t rows() const noexcept {
    return rows_;
  }
  [[nodiscard]] DEED_MODEL("extent", 1) constexpr std::size_t cols() const noexcept {
    return cols_;
  }
  [[nodiscard]] constexpr std::size_t row_stride() const noexcept { return row_stride_; }
  [[nodiscard]] DEED_MODEL("extent", "all") constexpr std::size_t size() const noexcept {
    return rows_ * cols_;
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return size() == 0; }
  /// The first element. Only within a row do the next ones follow, unless `contiguous()`.
  [[nodiscard]] DEED_MODEL("reaches", "this") constexpr E* data() const noexcept { return data_; }
  [[nodiscard]] DEED_MODEL("extent", "contiguous") constexpr bool contiguous() const noexcept {
    return rows_ <= 1 || row_stride_ == cols_;
  }

  [[nodiscard]] constexpr iterator begin() const noexcept { return {*this, 0}; }
  [[nodiscard]] constexpr iterator end() const noexcept { return {*this, rows_}; }

 private:
  constexpr row_type row_at(std::size_t i) const noexcept {
    return {data_ + i * row_stride_, cols_};
  }

  E* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::size_t row_stride_ = 0;
};

}  // namespace deed
