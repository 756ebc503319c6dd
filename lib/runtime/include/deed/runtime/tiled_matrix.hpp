// SPDX-License-Identifier: MIT
#pragma once

#include <deed/data/tile.hpp>
#include <deed/ownership/handle.hpp>
#include <deed/runtime/owners.hpp>
#include <deed/runtime/session.hpp>
#include <deed/runtime/tile_pattern.hpp>
#include <deed/runtime/tile_records.hpp>
#include <deed/runtime/tile_space.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// `deed::tiled_matrix`: a matrix cut into tiles, each a datum with one owner.

namespace deed {

namespace runtime {

/// @throws deed::error D906 if one is not positive, or the elements are more than memory can have.
void check_extents(std::ptrdiff_t rows, std::ptrdiff_t cols, std::ptrdiff_t tile_rows,
                   std::ptrdiff_t tile_cols, std::string_view name, place where);
/// How many tiles of `part` elements cover `all`; both are at least 1.
[[nodiscard]] inline std::size_t tiles_over(std::ptrdiff_t all, std::ptrdiff_t part) noexcept {
  return static_cast<std::size_t>((all + part - 1) / part);
}
/// Says that `name`, of `rows` by `cols` tiles, has none at `(i, j)`, which the task of `pair`
/// names, if it is one of `for_each_tile`. @throws deed::error D214
[[noreturn]] void refuse_tile(
    std::string_view name, std::size_t i, std::size_t j, std::size_t rows, std::size_t cols,
    place registered, place wanted,
    std::optional<std::pair<std::int64_t, std::int64_t>> pair = std::nullopt);
/// Says that a matrix was moved from. @throws deed::error D101
[[noreturn]] void refuse_moved_matrix(place registered, place wanted);

}  // namespace runtime

template <class T>
struct DEED_MODEL("type", "options") matrix_options {
  DEED_MODEL("extent") std::ptrdiff_t rows, cols;  ///< Elements, at least 1.
  DEED_MODEL("extent")
  std::ptrdiff_t tile_rows,
      tile_cols;  ///< Elements of a tile; tiles at the far edges may be smaller.
  std::optional<owner_rule> owners = std::nullopt;  ///< Left out: block cyclic over all ranks.
  std::optional<T> initial = std::nullopt;          ///< Left out: uninitialised.
  std::string_view name = "unnamed";
};

/// A matrix cut into tiles; every tile is a datum with one owner, and tasks name tiles.
/// Not for fewer tiles than ranks: some ranks would own nothing.
///
/// Shape: `[rows, cols]` elements, row-major within each tile; edge tiles may be smaller.
/// Units: extents in elements, at least 1; owners in `[0, session.size())`.
/// Keeps: the session keeps a tile until its last task has run, also when the matrix is gone by
/// then. Collective: every rank makes it, with the same extents, at the same place in its sequence.
/// Blocks: never.
/// Threads: the one that made the session.
/// Cost: for a tile that a rank owns or names 250 bytes there, for others nothing; 4 bytes for each
/// tile where the owners are a function of the program; elements only where a rank owns or uses
/// them. Time: a nanosecond or two per tile on every rank.
/// @throws deed::error D906 if an extent is not possible, D109 if an owner does not exist; then
///   nothing was registered.
///
/// @code{.cpp}
/// deed::tiled_matrix<double> now{session, {.rows = 4096, .cols = 4096,
///                                          .tile_rows = 256, .tile_cols = 256, .name = "now"}};
/// @endcode
template <class T>
class tiled_matrix {
 public:
  using tile_handle = handle<tile<T>>;

  DEED_MODEL("registers")
  DEED_MODEL("step", "register")
  tiled_matrix(session& home, const matrix_options<T>& options, place where = place::current())
      : home_(&home), options_(options), name_(options.name), where_(where) {
    runtime::check_extents(options.rows, options.cols, options.tile_rows, options.tile_cols, name_,
                           where);
    tile_rows_ = runtime::tiles_over(options.rows, options.tile_rows);
    tile_cols_ = runtime::tiles_over(options.cols, options.tile_cols);
    if (!options_.owners) options_.owners = block_cyclic{home.size()};
    register_tiles();
  }
  tiled_matrix(tiled_matrix&&) noexcept = default;
  tiled_matrix& operator=(tiled_matrix&&) noexcept = default;

  /// A matrix of the same shape and owners, with no values yet. A step.
  [[nodiscard]] DEED_MODEL("registers") DEED_MODEL("step", "register") tiled_matrix
      like(std::string_view name, place where = place::current()) const {
    matrix_options<T> options = options_;
    options.initial = std::nullopt;
    options.name = name;
    return tiled_matrix(*home_, options, where);
  }

  /// All tiles go to the owners of another rule, while tasks on them are in flight; `like` makes
  /// matrices with the new owners from now on. A step.
  /// @throws deed::error D109 if the rule names a rank that does not exist; then nothing has moved.
  DEED_MODEL("step", "migrate") void migrate(owner_rule owners, place where = place::current()) {
    std::vector<runtime::move_to> moves;
    moves.reserve(tile_rows() * tile_cols());
    for (auto [i, j] : indices()) {
      moves.push_back(
          {(*this)(i, j, where).untyped().datum(where), owners(i, j, tile_rows(), tile_cols())});
    }
    runtime::migrate(home_->untyped(), moves, where);
    options_.owners = std::move(owners);
  }

  /// As `session.rebalance`, the tiles row by row; `like` makes matrices with the new owners from
  /// now on. A step.
  DEED_MODEL("step", "rebalance")
  void rebalance(const balance_policy& policy = fewest_moves, place where = place::current()) {
    std::vector<ownership::slot> data;
    data.reserve(tile_rows() * tile_cols());
    for (auto [i, j] : indices()) data.push_back((*this)(i, j, where).untyped().datum(where));
    migrate([owners = runtime::balanced_owners(home_->untyped(), data, policy, where),
             cols = tile_cols()](std::size_t i, std::size_t j) { return owners[i * cols + j]; },
            where);
  }
  /// The rule of the owners.
  [[nodiscard]] const owner_rule& owners() const noexcept { return *options_.owners; }

  /// The tile in row `i`, column `j` of tiles.
  /// @throws deed::error D214 if there is no such tile, D101 if the matrix was moved from.
  [[nodiscard]] tile_handle& operator()(std::size_t i, std::size_t j,
                                        place where = place::current()) {
    return tile_at(i, j, where);
  }
  [[nodiscard]] const tile_handle& operator()(std::size_t i, std::size_t j,
                                              place where = place::current()) const {
    return tile_at(i, j, where);
  }

  /// The tile of each pair of indices, for `deed::for_each_tile`.
  /// @throws deed::error D101 if the matrix was moved from.
  template <class Row, class Col>
    requires runtime::pattern_indices<Row, Col>
  [[nodiscard]] tile_pattern<tile<T>> operator()(const Row& i, const Col& j,
                                                 place where = place::current()) {
    return {known_tiles(where), runtime::form_of(i), runtime::form_of(j)};
  }
  template <class Row, class Col>
    requires runtime::pattern_indices<Row, Col>
  [[nodiscard]] const_tile_pattern<tile<T>> operator()(const Row& i, const Col& j,
                                                       place where = place::current()) const {
    return {known_tiles(where), runtime::form_of(i), runtime::form_of(j)};
  }

  /// Elements.
  [[nodiscard]] DEED_MODEL("uniform") std::size_t rows() const noexcept {
    return static_cast<std::size_t>(options_.rows);
  }
  [[nodiscard]] DEED_MODEL("uniform") std::size_t cols() const noexcept {
    return static_cast<std::size_t>(options_.cols);
  }
  /// Tiles.
  [[nodiscard]] DEED_MODEL("uniform") std::size_t tile_rows() const noexcept { return tile_rows_; }
  [[nodiscard]] DEED_MODEL("uniform") std::size_t tile_cols() const noexcept { return tile_cols_; }
  /// The first element of tile `(i, j)` in the matrix.
  [[nodiscard]] std::pair<std::size_t, std::size_t> origin(std::size_t i,
                                                           std::size_t j) const noexcept {
    return {i * static_cast<std::size_t>(options_.tile_rows),
            j * static_cast<std::size_t>(options_.tile_cols)};
  }

  using index_range = tile_box;
  /// Every tile, row by row.
  [[nodiscard]] DEED_MODEL("uniform") index_range indices() const noexcept {
    return {0, tile_rows(), 0, tile_cols()};
  }
  /// Every tile but those at the border.
  [[nodiscard]] DEED_MODEL("uniform") index_range interior() const noexcept {
    return {1, tile_rows() - 1, 1, tile_cols() - 1};
  }

 private:
  [[nodiscard]] tile_handle& tile_at(std::size_t i, std::size_t j, place where) const {
    if (i >= tile_rows_ || j >= tile_cols_) [[unlikely]]
      runtime::refuse_tile(name_, i, j, tile_rows_, tile_cols_, where_, where);
    std::byte* const handle = known_tiles(where)->at(i * tile_cols_ + j, where).handle;
    return *std::launder(reinterpret_cast<tile_handle*>(handle));
  }
  [[nodiscard]] runtime::tile_records* known_tiles(place where) const {
    if (tiles_ == nullptr) [[unlikely]]
      runtime::refuse_moved_matrix(where_, where);
    return tiles_.get();
  }
  void register_tiles();

  session* home_;
  matrix_options<T> options_;
  std::string name_;
  place where_;
  std::size_t tile_rows_ = 0, tile_cols_ = 0;
  std::unique_ptr<runtime::tile_records> tiles_;
};

template <class T>
void tiled_matrix<T>::register_tiles() {
  static_assert(sizeof(tile_handle) == sizeof(ownership::untyped_handle));
  const auto extents = [](std::ptrdiff_t rows, std::ptrdiff_t cols) {
    return data::extents{static_cast<std::size_t>(rows), static_cast<std::size_t>(cols)};
  };
  tiles_ = std::make_unique<runtime::tile_records>(
      home_->untyped(),
      runtime::tile_description{
          .rule = std::make_shared<runtime::tile_rule>(runtime::tile_rule{
              .whole = extents(options_.rows, options_.cols),
              .tile = extents(options_.tile_rows, options_.tile_cols),
              .rows = tile_rows_,
              .cols = tile_cols_,
              .owners = *options_.owners}),
          .type = &data::operations_of<tile<T>>(),
          .value = options_.initial ? std::make_shared<const T>(*options_.initial) : nullptr,
          .make = options_.initial ? +[](void* at, void* from) {
            const auto& [shape, value] = *static_cast<const runtime::tile_source*>(from);
            (::new (at) data::tile_block<T>(shape))->fill(*static_cast<const T*>(value));
          } : nullptr,
          .build = [](void* at, ownership::registrar& session, ownership::slot datum,
                      ownership::registration registered) {
            ::new (at) tile_handle(session, datum, registered);
          },
          .destroy = [](void* at) noexcept { std::destroy_at(static_cast<tile_handle*>(at)); },
          .name = name_,
          .where = where_});
}

}  // namespace deed
