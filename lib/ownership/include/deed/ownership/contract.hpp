// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/place.hpp>
#include <deed/ownership/access.hpp>
#include <deed/ownership/codelet.hpp>
#include <deed/ownership/value.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

/// @file
/// What a codelet asks for, against what a task gives it: checked by the compiler, per position.

namespace deed {

namespace ownership {

/// How a codelet sees a datum. Specialised for data that are seen through a view.
template <class T>
struct views {
  using read = const T&;
  using write = T&;
};

}  // namespace ownership

/// An argument passed by copy; made by `value(x)`.
template <class T>
struct [[nodiscard]] DEED_MODEL("type", "value") value_argument {
  T content;
};

/// Passes a copy of `x` to the task: trivially copyable or movable, and without addresses.
/// Only the executor's copy counts.
template <class T>
DEED_MODEL("copies", 0)
value_argument<T> value(T x) {
  static_assert(!ownership::holds_address<T>,
                "deed[D303] a value holds a pointer, a reference or a view, which may be gone when "
                "the task runs; register what it points to");
  return {std::move(x)};
}

namespace ownership {

template <class T>
struct is_argument : std::false_type {};
template <class T, access_mode Mode>
struct is_argument<access<T, Mode>> : std::true_type {};
template <class T>
struct is_argument<value_argument<T>> : std::true_type {};

template <class T>
struct is_access : std::false_type {};
template <class T, access_mode Mode>
struct is_access<access<T, Mode>> : std::true_type {};

/// Whether a parameter is what an argument gives: nothing to write through where a read was asked,
/// nothing that only reads where a write was.
template <class Argument, class Parameter>
struct fits : std::false_type {};

template <class T, class Parameter>
struct fits<access<T, access_mode::read>, Parameter>
    : std::bool_constant<std::is_same_v<Parameter, typename views<T>::read> ||
                         (!std::is_reference_v<Parameter> &&
                          std::is_constructible_v<Parameter, typename views<T>::read>)> {};

template <class T, access_mode Mode, class Parameter>
  requires(Mode != access_mode::read)
struct fits<access<T, Mode>, Parameter>
    : std::bool_constant<std::is_same_v<Parameter, typename views<T>::write> ||
                         (!std::is_reference_v<Parameter> &&
                          std::is_constructible_v<Parameter, typename views<T>::write> &&
                          !std::is_constructible_v<Parameter, typename views<T>::read>)> {};

template <class T, class Parameter>
struct fits<value_argument<T>, Parameter>
    : std::bool_constant<std::is_constructible_v<Parameter, const T&> &&
                         !(std::is_lvalue_reference_v<Parameter> &&
                           !std::is_const_v<std::remove_reference_t<Parameter>>)> {};

/// The compiler prints its template arguments beside the text of the assertion below: the position,
/// what the task gives, what the codelet asks for.
template <std::size_t Position, class Given, class Parameter>
concept matches = fits<Given, Parameter>::value;

template <std::size_t Position, class Given, class Parameter>
consteval void check_position() {
#define DEED_POSITION(number)                                                             \
  if constexpr (Position == number)                                                       \
  static_assert(                                                                          \
      matches<Position, Given, Parameter>,                                                \
      "deed[D202] argument " #number " is not what the codelet's parameter " #number      \
      " asks for; `read(h)` gives `const T&`, `write(h)` and `read_write(h)` give `T&`, " \
      "`value(x)` a copy")
  DEED_POSITION(1);
  else DEED_POSITION(2);
  else DEED_POSITION(3);
  else DEED_POSITION(4);
  else DEED_POSITION(5);
  else DEED_POSITION(6);
  else DEED_POSITION(7);
  else DEED_POSITION(8);
  else static_assert(matches<Position, Given, Parameter>,
                     "deed[D202] an argument after the eighth is not what the codelet's parameter "
                     "asks for; the template arguments of `matches` name the position");
#undef DEED_POSITION
}

template <class Parameters, class... Arguments, std::size_t... I>
consteval void check_positions(std::index_sequence<I...>) {
  using given = std::tuple<Arguments...>;
  (check_position<I + 1, std::tuple_element_t<I, given>, std::tuple_element_t<I, Parameters>>(),
   ...);
}

/// Refuses, at compile time, a task whose arguments are not what its body asks for.
template <class Function, class... Arguments>
consteval void check_contract() {
  if constexpr (!parameters<Function>::known) {
    static_assert(
        parameters<Function>::known,
        "deed[D202] a codelet must spell out its parameter types; write them instead of `auto`");
  } else {
    using list = typename parameters<Function>::list;
    constexpr std::size_t given = sizeof...(Arguments);
    static_assert(given >= std::tuple_size_v<list>,
                  "deed[D202] the codelet takes more arguments than are given; add the missing "
                  "access or value");
    static_assert(given <= std::tuple_size_v<list>,
                  "deed[D202] the codelet takes fewer arguments than are given; remove what it "
                  "does not take");
    if constexpr (given == std::tuple_size_v<list>) {
      check_positions<list, Arguments...>(std::make_index_sequence<given>{});
    }
  }
}

}  // namespace ownership
}  // namespace deed
