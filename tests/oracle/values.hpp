// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/random.hpp>
#include <deed/data/datum.hpp>

#include "plan.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

/// @file
/// The values that random programs compute with, and the kernel of their tasks.

namespace oracle {

using number = std::uint64_t;
using list = std::vector<std::uint64_t>;
struct record {
  number first = 0;
  list rest;
  std::string text;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar & first & rest & text;
  }
  friend bool operator==(const record&, const record&) = default;
};
using tile = deed::tile<double>;

/// Rows of a large tile of 9 MiB: more than the piece of 4 MiB in which devices copy what is not
/// pinned, and than the 8 MiB from which a value leaves a device in pieces.
constexpr int huge_rows = 25'645;

/// Extents of a tile: 48 bytes, or 17 KB, which may leave from a device; fewer rows for a part.
[[nodiscard]] inline deed::data::extents extents_of(const datum& d) noexcept {
  if (d.is != form::tile) return {};
  deed::data::extents shape = d.large ? deed::data::extents{46, 46} : deed::data::extents{2, 3};
  if (d.rows != 0) shape.rows = static_cast<std::size_t>(d.rows);
  return shape;
}
/// Part `i` of `count`, in blocks of rows.
[[nodiscard]] datum part_of(const datum& whole, std::size_t i, std::size_t count, int owner);

/// A value in memory, as a task or a borrow sees it. What is only read is not written through it.
using seen = std::variant<number*, list*, record*, tile>;

/// A hash of the whole value.
[[nodiscard]] std::uint64_t hash_of(const seen& value);
/// Gives the value contents, and a length, that follow from `seed`. The old contents do not count.
void assign(const seen& value, std::uint64_t seed, bool large);
/// Adds to the value, so that the order of additions does not matter.
void add(const seen& value, std::uint64_t seed);

/// A value of its own.
class held_value {
 public:
  explicit held_value(const datum& d);
  [[nodiscard]] seen view();
  /// Takes block `i` of `count` of a whole.
  void cut_from(held_value& whole, std::size_t i, std::size_t count);
  /// Takes all that the parts have, in order.
  void unite(std::span<held_value* const> parts);
  /// Bytes that travel when the value does.
  [[nodiscard]] std::uint64_t wire_bytes() const;

 private:
  struct block {
    deed::data::extents shape;
    std::vector<double> elements;
  };
  std::variant<number, list, record, block> is_;
};

/// One access of a running task.
struct operand {
  seen value;
  access_mode mode;
  bool large;
};

/// What every task computes: what it writes is a mix of its number and all it reads, in order.
/// @return the hash of what it read; what commutes is not part of it.
std::uint64_t kernel(int task, std::span<const operand> operands);

/// The seed of a datum's first value, and of what a borrow writes.
[[nodiscard]] constexpr std::uint64_t first_seed(int datum, int rank) noexcept {
  return deed::mix(deed::mix(1, static_cast<std::uint64_t>(datum)),
                   static_cast<std::uint64_t>(rank));
}
[[nodiscard]] constexpr std::uint64_t borrow_seed(std::size_t step) noexcept {
  return deed::mix(2, step);
}
/// Of what is scattered to one datum of a list.
[[nodiscard]] constexpr std::uint64_t list_seed(std::size_t step, std::size_t place) noexcept {
  return deed::mix(borrow_seed(step), place);
}

}  // namespace oracle
