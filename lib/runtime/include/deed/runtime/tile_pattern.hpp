// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/place.hpp>
#include <deed/ownership/access_mode.hpp>
#include <deed/runtime/tile_records.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// Indices that stand for all those of a space, and the tiles that tasks name by them.

namespace deed {

namespace runtime {

/// A row or a column of tiles: a variable of a space, if it is one, and an offset.
struct affine {
  enum class variable : std::uint8_t { none, i, j };
  std::int64_t offset = 0;
  variable of = variable::none;

  [[nodiscard]] constexpr std::int64_t at(std::int64_t i, std::int64_t j) const noexcept {
    return offset + (of == variable::i ? i : of == variable::j ? j : 0);
  }
  friend constexpr bool operator==(affine, affine) = default;
};

}  // namespace runtime

/// Stands for the first or the second index of every task that one call of `for_each_tile` inserts:
/// `a(i, j)`, `a(i - 1, k)` name a tile for each of them. Made by `for_each_tile` alone, which asks
/// for the arguments of its tasks once. Not for anything but to be moved by a whole number: a tile
/// that depends on it otherwise is named with `std::size_t` instead.
class index {
 public:
  [[nodiscard]] friend constexpr index operator+(index of, std::integral auto by) noexcept {
    return of.moved(static_cast<std::int64_t>(by));
  }
  [[nodiscard]] friend constexpr index operator+(std::integral auto by, index of) noexcept {
    return of.moved(static_cast<std::int64_t>(by));
  }
  [[nodiscard]] friend constexpr index operator-(index of, std::integral auto by) noexcept {
    return of.moved(-static_cast<std::int64_t>(by));
  }

  /// For the library.
  [[nodiscard]] static constexpr index of(runtime::affine::variable which) noexcept {
    return index({0, which});
  }
  [[nodiscard]] constexpr runtime::affine form() const noexcept { return form_; }

 private:
  explicit constexpr index(runtime::affine form) noexcept : form_(form) {}
  [[nodiscard]] constexpr index moved(std::int64_t by) const noexcept {
    return index({form_.offset + by, form_.of});
  }
  runtime::affine form_;
};

namespace runtime {

constexpr affine form_of(index of) noexcept { return of.form(); }
constexpr affine form_of(std::integral auto constant) noexcept {
  return {static_cast<std::int64_t>(constant), affine::variable::none};
}

/// Two indices of a tile of which one is a `deed::index`, at least.
template <class Row, class Col>
concept pattern_indices =
    (std::same_as<Row, index> && (std::same_as<Col, index> || std::integral<Col>)) ||
    (std::integral<Row> && std::same_as<Col, index>);

}  // namespace runtime

/// One tile of a matrix for each pair of indices, for reading alone. `T` is the tile.
template <class T>
struct DEED_MODEL("type", "pattern") const_tile_pattern {
  runtime::tile_records* tiles;
  runtime::affine row, col;
};
/// The same, also for writing. Made by `a(i, j)` with indices that are `deed::index`.
template <class T>
struct DEED_MODEL("type", "pattern") tile_pattern : const_tile_pattern<T> {};

/// As `access`, of the tile that belongs to each pair of indices. For `deed::for_each_tile` alone.
template <class T, access_mode Mode>
struct [[nodiscard]] DEED_MODEL("type", "token") pattern_access {
  using value_type = T;
  static constexpr access_mode mode = Mode;

  const_tile_pattern<T> tiles;
  place where;
};

template <class T>
DEED_MODEL("accesses", "read")
pattern_access<T, access_mode::read> read(const const_tile_pattern<T>& tiles,
                                          place where = place::current()) {
  return {tiles, where};
}
template <class T>
DEED_MODEL("accesses", "write")
pattern_access<T, access_mode::write> write(const tile_pattern<T>& tiles,
                                            place where = place::current()) {
  return {tiles, where};
}
template <class T>
pattern_access<T, access_mode::write> write(const const_tile_pattern<T>&) {
  static_assert(sizeof(T) == 0,
                "deed[D203] the matrix is const here; take `deed::tiled_matrix<T>&`");
}
template <class T>
DEED_MODEL("accesses", "read_write")
pattern_access<T, access_mode::read_write> read_write(const tile_pattern<T>& tiles,
                                                      place where = place::current()) {
  return {tiles, where};
}
template <class T>
pattern_access<T, access_mode::read_write> read_write(const const_tile_pattern<T>&) {
  static_assert(sizeof(T) == 0,
                "deed[D203] the matrix is const here; take `deed::tiled_matrix<T>&`");
}

}  // namespace deed
