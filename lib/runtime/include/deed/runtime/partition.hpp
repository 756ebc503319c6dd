// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/data/datum.hpp>
#include <deed/runtime/owners.hpp>
#include <deed/runtime/session.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// One datum cut into parts that are data of their own, and put together again:
/// `session.partition`, `session.unite`.

namespace deed {

/// Blocks of rows, or of the elements of a vector or span, as even as possible.
struct row_blocks {
  std::size_t count;
};
/// Blocks of columns of a tile, as even as possible.
struct col_blocks {
  std::size_t count;
};
/// A grid of rectangles of a tile, row by row, as even as possible.
struct grid_blocks {
  std::size_t rows, cols;
};
/// Rows, or elements of a vector or span: `[first, last)`.
struct row_range {
  std::size_t first, last;
};
/// The given rows, in order: each begins where the one before ends, and together they are all.
struct DEED_MODEL("extent") row_ranges {
  row_ranges(std::initializer_list<row_range> all) : ranges(all) {}
  explicit row_ranges(std::vector<row_range> all) : ranges(std::move(all)) {}
  std::vector<row_range> ranges;
};

/// How a whole is cut: `row_blocks`, `col_blocks`, `grid_blocks` or `row_ranges`.
class partition_rule {
 public:
  partition_rule(row_blocks blocks) : rows_(blocks.count) {}
  partition_rule(col_blocks blocks) : cols_(blocks.count) {}
  partition_rule(grid_blocks blocks) : rows_(blocks.rows), cols_(blocks.cols) {}
  partition_rule(row_ranges given) : rows_(given.ranges.size()), ranges_(std::move(given.ranges)) {}

  /// Of the grid of parts.
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t cols() const noexcept { return cols_; }
  /// Empty: even blocks.
  [[nodiscard]] const std::vector<row_range>& ranges() const noexcept { return ranges_; }

 private:
  std::size_t rows_ = 1, cols_ = 1;
  std::vector<row_range> ranges_;
};

namespace runtime {

/// One part of a whole whose extents may be known only where it is cut.
struct part_slice {
  row_range rows;  ///< Of rows in even blocks: this block, of so many.
  row_range cols;
  bool even_rows;
  bool first, last;  ///< No rows come before, or follow.

  static constexpr row_range block(std::size_t i, std::size_t count, std::size_t all) noexcept {
    return {i * all / count, (i + 1) * all / count};
  }
  [[nodiscard]] row_range rows_of(std::size_t all) const {
    return even_rows ? block(rows.first, rows.last, all) : rows;
  }
  [[nodiscard]] row_range cols_of(std::size_t all) const noexcept {
    return block(cols.first, cols.last, all);
  }
};

/// A part that is to be registered.
struct planned_part {
  part_slice slice;
  data::extents shape;
  std::optional<int> owner;  ///< None: one on every rank.
  std::string name;
};

/// A tile has rows and columns, a span one column of elements; how long a vector is, its value
/// says.
enum class whole_form : std::uint8_t { tile, span, vector };

/// Says that `whole`, cut into `rows` by `cols` parts, has none at `i`, or `(i, j)`.
/// @throws deed::error D214
[[noreturn]] void refuse_part(const ownership::untyped_handle& whole, std::size_t i,
                              std::optional<std::size_t> j, std::size_t rows, std::size_t cols);
/// What the parts will be.
/// @throws deed::error D109 D117 D413 D906; then nothing has changed.
[[nodiscard]] std::vector<planned_part> plan_parts(core& home, ownership::slot whole,
                                                   const partition_rule& rule,
                                                   const owner_rule* owners, whole_form form,
                                                   place where);
/// Whether the whole has a value to cut.
[[nodiscard]] bool has_value(const core& home, ownership::slot whole) noexcept;
/// From here on the parts have the value, and a task that names the whole is refused (D116).
void split(core& home, ownership::slot whole, std::vector<ownership::slot> parts, place where);
/// The end of that. @return whether the parts have values.
/// @throws deed::error D117 if these are not the parts, in their order; D208 if only some have.
[[nodiscard]] bool join(core& home, ownership::slot whole, std::span<const ownership::slot> parts,
                        place where);
/// @throws deed::error D117 if a part ends beyond a vector, or the last before its end.
void check_slice(const part_slice& slice, std::size_t length);

template <class T>
inline constexpr bool is_sequence = requires(T value) {
  value.assign(value.data(), value.data());
  value.insert(value.end(), value.begin(), value.end());
};
template <class T>
inline constexpr bool can_be_cut = is_sequence<T>;
template <class E>
inline constexpr bool can_be_cut<tile<E>> = true;
template <class E>
inline constexpr bool can_be_cut<std::span<E>> = true;

/// The tasks that cut and unite, by the type of the data.
template <class T>
struct cutting {
  using traits = data::datum_traits<T>;
  using storage = typename traits::storage;
  using reads = decltype(traits::read_view(std::declval<const storage&>()));
  using writes = decltype(traits::write_view(std::declval<storage&>()));
  static constexpr whole_form form = is_sequence<T>                          ? whole_form::vector
                                     : requires(reads view) { view.rows(); } ? whole_form::tile
                                                                             : whole_form::span;

  static constexpr codelet cut{
      "partition", [](writes part, reads whole, const part_slice& at) {
        if constexpr (form == whole_form::tile) {
          const row_range rows = at.rows_of(whole.rows()), cols = at.cols_of(whole.cols());
          for (std::size_t i = rows.first; i < rows.last; ++i)
            std::ranges::copy(whole.row(i).subspan(cols.first, cols.last - cols.first),
                              part.row(i - rows.first).begin());
        } else {
          const row_range range = at.rows_of(whole.size());
          if constexpr (form == whole_form::span) {
            std::ranges::copy(whole.subspan(range.first, range.last - range.first), part.begin());
          } else {
            check_slice(at, whole.size());
            part.assign(whole.data() + range.first, whole.data() + range.last);
          }
        }
      }};
  /// The parts come in order. A vector becomes as long as they are together.
  static constexpr codelet unite{
      "unite", [](writes whole, reads part, const part_slice& at) {
        if constexpr (form == whole_form::tile) {
          const row_range rows = at.rows_of(whole.rows()), cols = at.cols_of(whole.cols());
          for (std::size_t i = rows.first; i < rows.last; ++i)
            std::ranges::copy(part.row(i - rows.first), whole.row(i).subspan(cols.first).begin());
        } else if constexpr (form == whole_form::span) {
          std::ranges::copy(part, whole.subspan(at.rows_of(whole.size()).first).begin());
        } else {
          if (at.first) whole.clear();
          whole.insert(whole.end(), part.begin(), part.end());
        }
      }};
};

}  // namespace runtime

/// A datum cut into parts; each part is a datum of its own, and has the type of the whole. Made by
/// `session.partition`, and handed to `session.unite`.
///
/// Nobody can name the whole meanwhile. Dropped instead, it ends all parts, and the whole with the
/// value that it had before.
/// Cost: a handle per part.
template <class T>
class [[nodiscard]] partitioned {
 public:
  partitioned(partitioned&&) noexcept = default;
  partitioned& operator=(partitioned&&) noexcept = default;

  /// The parts, row by row.
  [[nodiscard]] std::size_t size() const noexcept { return parts_.size(); }
  [[nodiscard]] auto begin() noexcept { return parts_.begin(); }
  [[nodiscard]] auto end() noexcept { return parts_.end(); }
  /// @throws deed::error D214 if there is no such part.
  [[nodiscard]] handle<T>& operator[](std::size_t i) {
    check(i < parts_.size(), i);
    return parts_[i];
  }
  [[nodiscard]] const handle<T>& operator[](std::size_t i) const {
    check(i < parts_.size(), i);
    return parts_[i];
  }
  /// The part in row `i`, column `j` of the parts. @throws deed::error D214 if there is none.
  [[nodiscard]] handle<T>& operator()(std::size_t i, std::size_t j) {
    check(i < parts_.size() / cols_ && j < cols_, i, j);
    return parts_[i * cols_ + j];
  }

 private:
  friend class session;
  partitioned(handle<T>&& whole, std::vector<handle<T>>&& parts,
              std::vector<runtime::part_slice>&& slices, std::size_t cols)
      : whole_(std::move(whole)),
        parts_(std::move(parts)),
        slices_(std::move(slices)),
        cols_(cols) {}
  void check(bool there, std::size_t i, std::optional<std::size_t> j = std::nullopt) const {
    if (!there) [[unlikely]]
      runtime::refuse_part(whole_.untyped(), i, j, parts_.size() / cols_, cols_);
  }

  handle<T> whole_;
  std::vector<handle<T>> parts_;
  std::vector<runtime::part_slice> slices_;
  std::size_t cols_;
};

template <class T>
partitioned<T> session::cut(handle<T>&& h, const partition_rule& rule, const owner_rule* owners,
                            place where) {
  static_assert(runtime::can_be_cut<T>,
                "deed[D202] only a vector, a span and a tile can be cut into parts; register the "
                "value as one of these");
  using operations = runtime::cutting<T>;
  const ownership::slot whole = h.untyped().datum(where);
  const auto plan = runtime::plan_parts(*core_, whole, rule, owners, operations::form, where);
  std::vector<handle<T>> parts;
  std::vector<runtime::part_slice> slices;
  for (const runtime::planned_part& each : plan) {
    parts.push_back(
        register_empty<T>(each.owner, each.shape, data_options{.name = each.name}, where));
    slices.push_back(each.slice);
  }
  for (std::size_t i = 0; runtime::has_value(*core_, whole) && i < parts.size(); ++i) {
    insert_task(operations::cut, write(parts[i], where), read(h, where), value(slices[i]),
                on_owner_of(h, where));
  }
  std::vector<ownership::slot> slots;
  for (const handle<T>& each : parts) slots.push_back(each.untyped().datum(where));
  runtime::split(*core_, whole, std::move(slots), where);
  return {std::move(h), std::move(parts), std::move(slices), rule.cols()};
}

template <class T>
handle<T> session::unite(partitioned<T>&& all, place where) {
  using operations = runtime::cutting<T>;
  handle<T>& whole = all.whole_;
  std::vector<ownership::slot> parts;
  for (const handle<T>& each : all) parts.push_back(each.untyped().datum(where));
  const ownership::slot datum = whole.untyped().datum(where);
  if (runtime::join(*core_, datum, parts, where)) {
    insert_task(operations::unite, write(whole, where), read(all[0], where), value(all.slices_[0]),
                on_owner_of(whole, where));
    for (std::size_t i = 1; i < parts.size(); ++i) {
      insert_task(operations::unite, read_write(whole, where), read(all[i], where),
                  value(all.slices_[i]), on_owner_of(whole, where));
    }
  }
  for (handle<T>& each : all) std::move(each).unregister(where);
  return std::move(whole);
}

}  // namespace deed
