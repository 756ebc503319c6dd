// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/data/datum.hpp>

#include <ranges>
#include <span>
#include <type_traits>

/// @file
/// `in_place(range)`: the one door through which the program's own memory becomes a datum.

namespace deed {

/// Memory of the program that is to be registered as it lies. Made by `in_place`.
template <class T>
struct DEED_VIEW in_place_argument {
  using value_type = T;
  T view;
  [[nodiscard]] data::extents shape() const noexcept {
    if constexpr (requires { view.rows(); }) {
      return {view.rows(), view.cols()};
    } else {
      return {1, view.size()};
    }
  }
};

namespace runtime {
template <class T>
struct is_in_place : std::false_type {};
template <class T>
struct is_in_place<in_place_argument<T>> : std::true_type {};
}  // namespace runtime

/// The elements of `range` become a datum without a copy: tasks work in them until the datum ends.
/// On ranks that do not own it only the length counts.
/// Keeps: the program keeps the memory, at the same address, until the datum has ended. An
/// exception that passes the handle ends it at once: it blocks until nothing works in the memory
/// any more, and the rank stops (D801 for later calls).
template <std::ranges::contiguous_range Range>
  requires(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>)
[[nodiscard]] DEED_MODEL("keeps", 0)
    in_place_argument<std::span<std::ranges::range_value_t<Range>>> in_place(
        Range& range DEED_LIFETIMEBOUND) {
  return {std::span(range)};
}
/// A rectangle of the program's memory.
template <class E>
[[nodiscard]] DEED_MODEL("keeps", 0) in_place_argument<tile<E>> in_place(tile<E> view) {
  return {view};
}
template <std::ranges::contiguous_range Range>
  requires(!std::ranges::borrowed_range<Range>)
in_place_argument<std::span<std::ranges::range_value_t<Range>>> in_place(const Range&&) {
  static_assert(sizeof(Range) == 0,
                "deed[D311] a temporary is gone at the end of the statement; register the value "
                "itself, the session keeps it");
}

}  // namespace deed
