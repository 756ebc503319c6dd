// SPDX-License-Identifier: MIT
#pragma once

#include <deed/ownership/access.hpp>
#include <deed/ownership/contract.hpp>

#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

/// @file
/// Access tokens for lists of data: `read(blocks)`, `write(blocks)`.

namespace deed {

/// Says that a call may use each datum of a list in one way. Made by `read` and `write`.
template <class T, access_mode Mode>
struct [[nodiscard]] DEED_MODEL("type", "token") access_list {
  using value_type = T;
  static constexpr access_mode mode = Mode;

  ownership::registrar* session;  ///< Null for an empty list.
  std::vector<ownership::slot> data;
  place where;
};

namespace ownership {

template <class T>
struct value_of_handle;
template <class T>
struct value_of_handle<handle<T>> {
  using type = T;
};
template <class List>
concept handle_list = std::ranges::forward_range<List> && requires {
  typename value_of_handle<std::remove_cv_t<std::ranges::range_value_t<List>>>::type;
};
template <class List>
using value_in = typename value_of_handle<std::remove_cv_t<std::ranges::range_value_t<List>>>::type;

template <access_mode Mode, class List>
access_list<value_in<List>, Mode> make_access_list(List&& handles, place where) {
  access_list<value_in<List>, Mode> all{nullptr, {}, where};
  for (const auto& each : handles) {
    all.session = &each.untyped().session();
    all.data.push_back(each.untyped().datum(where));
  }
  return all;
}

}  // namespace ownership

/// Asks to read the current version of each.
/// @throws deed::error as `read` of one handle.
template <ownership::handle_list List>
DEED_MODEL("accesses", "read")
auto read(List&& handles, place where = place::current()) {
  return ownership::make_access_list<access_mode::read>(handles, where);
}
/// Asks to overwrite each.
/// @throws deed::error as `write` of one handle.
template <ownership::handle_list List>
DEED_MODEL("accesses", "write")
auto write(List&& handles, place where = place::current()) {
  static_assert(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<List>>>,
                "deed[D203] the handles are const here; take a list that may be changed");
  return ownership::make_access_list<access_mode::write>(handles, where);
}
/// Asks to read and change each.
/// @throws deed::error as `read_write` of one handle.
template <ownership::handle_list List>
DEED_MODEL("accesses", "read_write")
auto read_write(List&& handles, place where = place::current()) {
  static_assert(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<List>>>,
                "deed[D203] the handles are const here; take a list that may be changed");
  return ownership::make_access_list<access_mode::read_write>(handles, where);
}

namespace ownership {

template <class T, access_mode Mode>
struct is_argument<access_list<T, Mode>> : std::true_type {};
template <class T, access_mode Mode>
struct is_access_list<access_list<T, Mode>> : std::true_type {};

/// What a codelet sees of one datum of a list: where it lies; of data that are seen through a view,
/// the view.
template <class View>
struct element_view {
  using type = View;
};
template <class T>
struct element_view<T&> {
  using type = T*;
};
template <class T, access_mode Mode>
using list_element =
    typename element_view<std::conditional_t<Mode == access_mode::read, typename views<T>::read,
                                             typename views<T>::write>>::type;

/// A codelet takes a list as `std::span<const T* const>`, or `std::span<T* const>` to write.
template <class T, access_mode Mode, class Parameter>
struct fits<access_list<T, Mode>, Parameter>
    : std::is_same<Parameter, std::span<const list_element<T, Mode>>> {};

}  // namespace ownership

}  // namespace deed
