// SPDX-License-Identifier: MIT
#pragma once

#include <deed/ownership/members.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

/// @file
/// What may be handed on by copy: a value that says nothing about where something lies.

namespace deed {

template <class E>
class tile;

namespace ownership {

namespace detail {

/// `std::shared_ptr`, `std::weak_ptr`, `std::function` and `std::reference_wrapper`, known by what
/// they offer: their headers would cost every file 200 ms.
template <class T>
concept keeps_address = requires(const T& x) { x.use_count(); } ||
                        requires(const T& x) { x.target_type(); } || requires(const T& x) {
                          { x.get() } -> std::same_as<typename T::type&>;
                        };

template <class T>
consteval bool says_where();

template <class T>
struct address : std::bool_constant<says_where<T>()> {};
template <class T>
struct address<const T> : address<T> {};
template <class T>
struct address<volatile T> : address<T> {};
template <class T, std::size_t N>
struct address<T[N]> : address<T> {};
template <class T, std::size_t N>
struct address<const T[N]> : address<T> {};
template <class T, std::size_t N>
struct address<std::array<T, N>> : address<T> {};
template <class T, std::size_t N>
struct address<std::span<T, N>> : std::true_type {};
template <class C, class Traits>
struct address<std::basic_string_view<C, Traits>> : std::true_type {};
template <class E>
struct address<tile<E>> : std::true_type {};
template <class A, class B>
struct address<std::pair<A, B>> : std::disjunction<address<A>, address<B>> {};
template <class... T>
struct address<std::tuple<T...>> : std::disjunction<address<T>...> {};
template <class T>
struct address<std::optional<T>> : address<T> {};
template <class... T>
struct address<std::variant<T...>> : std::disjunction<address<T>...> {};

template <class... M>
consteval bool any_of(std::type_identity<std::tuple<M...>>) {
  return (address<M>::value || ...);
}

template <class T>
consteval bool says_where() {
  if constexpr (std::is_pointer_v<T> || std::is_reference_v<T> || std::is_member_pointer_v<T> ||
                std::is_null_pointer_v<T> || keeps_address<T>) {
    return true;
  } else if constexpr (visible_aggregate<T>) {
    return any_of(std::type_identity<member_types<T>>{});
  } else {
    return false;
  }
}

}  // namespace detail

/// True where a `T` says where something lies in this process: a pointer, reference, span, string
/// view, tile, function, shared pointer, or anything plain that has such a member.
///
/// Members of aggregates are seen; those of classes with constructors or private parts are not,
/// which is what `deed-check` looks into.
template <class T>
inline constexpr bool holds_address = detail::address<T>::value;

}  // namespace ownership
}  // namespace deed
