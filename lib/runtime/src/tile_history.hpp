// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>
#include <deed/ownership/access_mode.hpp>
#include <deed/runtime/tile_call.hpp>

#include "affine_tiles.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

/// @file
/// What calls of `for_each_tile` did to tiles of which a rank has no records.

namespace deed::runtime {

/// A use of one matrix. Its numbers are small where the tiles exist.
struct logged_use {
  std::uint64_t matrix;  ///< The first of its tags.
  std::int32_t row, col;
  affine::variable row_of, col_of;
  access_mode mode;

  [[nodiscard]] tile_form form() const noexcept { return {{row, row_of}, {col, col_of}}; }
  friend bool operator==(const logged_use&, const logged_use&) = default;
};

/// A call, as far as it says what became of the tiles that it names. Who runs a task is the owner
/// of the tile that it writes, by the rule of its matrix.
struct logged_call {
  static constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();

  tile_region region;
  std::shared_ptr<const tile_rule> owners;  ///< Of the matrix that is written.
  place where;                              ///< Of the access that writes.
  std::uint64_t until = all;                ///< The pairs before this one are done.
  std::vector<logged_use> uses;             ///< The first is the one that writes.

  /// Pairs are numbered row by row, as if rows had all columns.
  [[nodiscard]] std::uint64_t number(std::int64_t i, std::int64_t j) const noexcept {
    return static_cast<std::uint64_t>((i - region.first_row) * width() + j - region.first_col);
  }
  [[nodiscard]] std::int64_t width() const noexcept { return region.last_col - region.first_col; }
  [[nodiscard]] std::uint32_t executor(std::int64_t i, std::int64_t j) const;
  [[nodiscard]] owner_period period() const;
  [[nodiscard]] bool writes_in(std::uint64_t matrix) const noexcept {
    return uses.front().matrix == matrix;
  }
  /// Whether a pair before `until` writes the tile.
  [[nodiscard]] bool has_written(std::uint64_t matrix, std::int64_t r, std::int64_t c) const;
  /// Whether any pair writes it.
  [[nodiscard]] bool may_write(std::uint64_t matrix, std::int64_t r, std::int64_t c) const;
  [[nodiscard]] std::size_t bytes() const noexcept {
    constexpr std::size_t around = 64;  // Two blocks of memory, and the pointer to this one.
    return sizeof(logged_call) + uses.size() * sizeof(logged_use) + around;
  }
  /// Whether it does the same; not where one of them was left by an exception.
  [[nodiscard]] bool repeats(const logged_call& before) const noexcept;
};

/// The tiles of a matrix that have records here: a bit each.
class known_tiles {
 public:
  known_tiles(std::size_t rows, std::size_t cols)
      : words_((cols + 63) / 64), bits_(rows * words_) {}
  void add(std::size_t r, std::size_t c) {
    bits_[r * words_ + c / 64] |= std::uint64_t{1} << c % 64;
  }
  [[nodiscard]] bool contains(std::int64_t r, std::int64_t c) const noexcept {
    const auto col = static_cast<std::size_t>(c);
    return (bits_[static_cast<std::size_t>(r) * words_ + col / 64] >> col % 64 & 1) != 0;
  }
  /// Those in columns `[first, last)` of row `r`.
  template <class Each>
  void for_each_in_row(std::int64_t r, std::int64_t first, std::int64_t last, Each&& each) const {
    const std::uint64_t* const row = bits_.data() + static_cast<std::size_t>(r) * words_;
    for (std::int64_t word = first / 64; word * 64 < last; ++word) {
      std::uint64_t bits = row[word];
      if (word == first / 64) bits &= ~std::uint64_t{0} << first % 64;
      for (; bits != 0; bits &= bits - 1) {
        const std::int64_t c = word * 64 + std::countr_zero(bits);
        if (c >= last) return;
        each(r, c);
      }
    }
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Of one matrix. The tiles that get a record later find here what was done to them before.
struct tile_history {
  tile_history(std::size_t rows, std::size_t cols) : known(rows, cols) {}

  known_tiles known;
  std::vector<std::shared_ptr<const logged_call>> calls;  ///< Null: all copies ended.
  std::size_t bytes = 0;                                  ///< Of the calls.

  /// `call` is about to be made. One that only reads what a call before it read the same way adds
  /// no holder, and is not kept.
  void add(std::uint64_t matrix, const std::shared_ptr<const logged_call>& call);
  void add_flush();
  void forget() noexcept {
    calls = {};
    bytes = 0;
  }
  /// From where on calls matter to a tile: since its last write nobody but its owner held it.
  [[nodiscard]] std::size_t newest_write(std::uint64_t matrix, std::int64_t r,
                                         std::int64_t c) const;
};

}  // namespace deed::runtime
