// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>
#include <deed/data/type_operations.hpp>
#include <deed/ownership/handle.hpp>
#include <deed/runtime/owners.hpp>
#include <deed/runtime/tile_index.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// Which tiles of a matrix a rank has records of: those that it owns at first, and those that it
/// names. Of the rest it knows the rule by which they were registered.

namespace deed::runtime {

class core;
struct tile_history;

/// What the tiles of a matrix are, and who has them at first; of tiles counted row by row.
struct tile_rule {
  data::extents whole, tile;  ///< Elements.
  std::size_t rows, cols;     ///< Tiles.
  owner_rule owners;
  std::vector<std::int32_t> answers{};  ///< Of a rule of the program, which is asked once.
  std::uint64_t hash = 0;               ///< Of all of it.
  bool asked_later = false;             ///< By the history of another matrix.

  [[nodiscard]] std::size_t count() const noexcept { return rows * cols; }
  [[nodiscard]] int owner(std::size_t k) const { return owner(k / cols, k % cols); }
  [[nodiscard]] int owner(std::size_t i, std::size_t j) const {
    return answers.empty() ? owners(i, j, rows, cols) : answers[i * cols + j];
  }
  [[nodiscard]] data::extents shape(std::size_t k) const noexcept {
    return {std::min(whole.rows - k / cols * tile.rows, tile.rows),
            std::min(whole.cols - k % cols * tile.cols, tile.cols)};
  }
};

/// What `make` makes a tile of.
struct tile_source {
  data::extents shape;
  const void* value;
};

/// A matrix, without its type.
struct tile_description {
  std::shared_ptr<tile_rule> rule;
  const data::type_operations* type;
  std::shared_ptr<const void> value;        ///< Of each element at first.
  void (*make)(void* storage, void* from);  ///< Of a `tile_source`. Null: no value at first.
  /// A handle of the tiles' type, of the size of an untyped one.
  void (*build)(void* at, ownership::registrar&, ownership::slot, ownership::registration);
  void (*destroy)(void* at) noexcept;
  std::string_view name;  ///< Lives until the constructor returns.
  place where;
};

/// The numbers and tags of all tiles of a matrix are taken at once, equal on all ranks; the record
/// of a tile is made where it is owned or when it is named, so that what a rank has nothing to do
/// with costs it nothing. Where events are recorded, all are made at once, as their numbers in the
/// ledger are part of a trace.
///
/// Threads: looking for a tile is for any; a record is made by whoever may submit.
/// Cost: of a tile with a record 250 bytes, of others none. `at`: O(1), three loads.
class tile_records {
 public:
  /// @throws deed::error D109 if an owner does not exist, D106 if a tag is taken; then nothing was
  ///   registered.
  tile_records(core& home, tile_description&& what);
  tile_records(const tile_records&) = delete;
  tile_records& operator=(const tile_records&) = delete;
  ~tile_records();

  struct record {
    std::uint32_t tile;
    ownership::slot datum;
    alignas(ownership::untyped_handle) std::byte handle[sizeof(ownership::untyped_handle)];

    [[nodiscard]] const ownership::untyped_handle& untyped() const noexcept {
      return *std::launder(reinterpret_cast<const ownership::untyped_handle*>(handle));
    }
  };
  /// The record of tile `k`, made now if there is none.
  [[nodiscard]] record& at(std::size_t k, place where) {
    record* const known = find(k);
    return known != nullptr ? *known : meet(k, where);
  }
  /// Null: this rank has had nothing to do with the tile.
  [[nodiscard]] record* find(std::size_t k) const noexcept { return index_.find(k); }
  [[nodiscard]] const std::deque<record>& all() const noexcept { return records_; }
  [[nodiscard]] const tile_description& what() const noexcept { return what_; }
  [[nodiscard]] const tile_rule& rule() const noexcept { return *what_.rule; }
  /// The tag and the number of the first tile; those of the others follow.
  [[nodiscard]] std::uint64_t first() const noexcept { return first_; }

 private:
  friend class core;

  [[nodiscard]] record& meet(std::size_t k, place where);
  void end_all() noexcept;

  core* home_;
  tile_description what_;
  std::uint64_t first_ = 0;
  std::deque<record> records_;
  tile_index<record> index_;
  std::unique_ptr<tile_history> history_;  // Null: no rule said what became of tiles.
  bool moved_ = false;                     // Tiles have other owners than by the rule.
};

}  // namespace deed::runtime
