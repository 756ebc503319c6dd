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

/// See access_list.hpp.
template <class T>
struct is_access_list : std::false_type {};

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

template <class List, std::size_t Position, class Otherwise>
consteval auto element_or() {
  if constexpr (Position <= std::tuple_size_v<List>) {
    return std::type_identity<std::tuple_element_t<Position - 1, List>>{};
  } else {
    return std::type_identity<Otherwise>{};
  }
}

/// Refuses a task whose arguments are not what its body asks for. Flat, so that the sentence stands
/// among the first lines of what the compiler prints.
template <class Parameters, class Arguments>
struct contract_of;
template <class... Parameters, class... Arguments>
struct contract_of<std::tuple<Parameters...>, std::tuple<Arguments...>> {
  static constexpr bool counts_agree = sizeof...(Parameters) == sizeof...(Arguments);
  static_assert(sizeof...(Arguments) >= sizeof...(Parameters),
                "deed[D202] the codelet takes more arguments than are given; add the missing "
                "access or value");
  static_assert(
      sizeof...(Arguments) <= sizeof...(Parameters),
      "deed[D202] the codelet takes fewer arguments than are given; remove what it does not take");

  // Beyond the end, or where the counts differ, a pair that matches.
  template <std::size_t Position>
  using given =
      typename decltype(element_or<
                        std::conditional_t<counts_agree, std::tuple<Arguments...>, std::tuple<>>,
                        Position, value_argument<int>>())::type;
  template <std::size_t Position>
  using asked =
      typename decltype(element_or<
                        std::conditional_t<counts_agree, std::tuple<Parameters...>, std::tuple<>>,
                        Position, int>())::type;

  static_assert(matches<1, given<1>, asked<1>>,
                "deed[D202] argument 1 is not what the codelet's parameter 1 asks for; `read(h)` "
                "gives `const T&`, `write(h)` and `read_write(h)` give `T&`, `value(x)` a copy");
  static_assert(matches<2, given<2>, asked<2>>,
                "deed[D202] argument 2 is not what the codelet's parameter 2 asks for; `read(h)` "
                "gives `const T&`, `write(h)` and `read_write(h)` give `T&`, `value(x)` a copy");
  static_assert(matches<3, given<3>, asked<3>>,
                "deed[D202] argument 3 is not what the codelet's parameter 3 asks for; `read(h)` "
                "gives `const T&`, `write(h)` and `read_write(h)` give `T&`, `value(x)` a copy");
  static_assert(matches<4, given<4>, asked<4>>,
                "deed[D202] argument 4 is not what the codelet's parameter 4 asks for; `read(h)` "
                "gives `const T&`, `write(h)` and `read_write(h)` give `T&`, `value(x)` a copy");
  static_assert(matches<5, given<5>, asked<5>>,
                "deed[D202] argument 5 is not what the codelet's parameter 5 asks for; `read(h)` "
                "gives `const T&`, `write(h)` and `read_write(h)` give `T&`, `value(x)` a copy");
  static_assert(matches<6, given<6>, asked<6>>,
                "deed[D202] argument 6 is not what the codelet's parameter 6 asks for; `read(h)` "
                "gives `const T&`, `write(h)` and `read_write(h)` give `T&`, `value(x)` a copy");
  static_assert(matches<7, given<7>, asked<7>>,
                "deed[D202] argument 7 is not what the codelet's parameter 7 asks for; `read(h)` "
                "gives `const T&`, `write(h)` and `read_write(h)` give `T&`, `value(x)` a copy");
  static_assert(matches<8, given<8>, asked<8>>,
                "deed[D202] argument 8 is not what the codelet's parameter 8 asks for; `read(h)` "
                "gives `const T&`, `write(h)` and `read_write(h)` give `T&`, `value(x)` a copy");
  template <std::size_t... I>
  static consteval bool rest_matches(std::index_sequence<I...>) {
    return (matches<I + 9, given<I + 9>, asked<I + 9>> && ...);
  }
  static_assert(
      rest_matches(
          std::make_index_sequence<(sizeof...(Arguments) > 8 ? sizeof...(Arguments) - 8 : 0)>{}),
      "deed[D202] an argument after the eighth is not what the codelet's parameter asks for; "
      "`read(h)` gives `const T&`, `write(h)` and `read_write(h)` give `T&`");
  static constexpr bool holds = true;
};

/// The contract of a body: its parameter types have to be spelled out.
template <class Function, class Arguments, bool known = parameters<Function>::known>
struct contract : contract_of<typename parameters<Function>::list, Arguments> {};
template <class Function, class Arguments>
struct contract<Function, Arguments, false> {
  static_assert(
      sizeof(Function) == 0,
      "deed[D202] a codelet must spell out its parameter types; write them instead of `auto`");
  static constexpr bool holds = false;
};

}  // namespace ownership
}  // namespace deed
