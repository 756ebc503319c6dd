// SPDX-License-Identifier: MIT
#pragma once

#include <deed/ownership/value.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>

/// @file
/// A task's values in words, for ranks that compare what they submitted (`--deed-checks=global`).

namespace deed::runtime {

[[nodiscard]] std::string text_of_number(long long number);
[[nodiscard]] std::string text_of_number(unsigned long long number);
[[nodiscard]] std::string text_of_number(double number);
/// Their number and a hash.
[[nodiscard]] std::string text_of_bytes(std::span<const std::byte> bytes);

template <class T>
consteval bool has_no_padding();

template <class... M>
consteval bool fills(std::size_t bytes, std::type_identity<std::tuple<M...>>) {
  return (sizeof(M) + ... + 0) == bytes && (has_no_padding<M>() && ...);
}

/// Whether equal values have equal bytes, as far as it shows from outside.
template <class T>
consteval bool has_no_padding() {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return !std::is_same_v<T, long double>;
  } else if constexpr (std::is_array_v<T>) {
    return has_no_padding<std::remove_all_extents_t<T>>();
  } else if constexpr (ownership::visible_aggregate<T> && std::is_trivially_copyable_v<T>) {
    return fills(sizeof(T), std::type_identity<ownership::member_types<T>>{});
  } else {
    return std::has_unique_object_representations_v<T>;
  }
}

/// Empty for a type of which nothing shows: such values are not compared.
template <class T>
std::string text_of_value(const T& x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return text_of_value(static_cast<std::underlying_type_t<T>>(x));
  } else if constexpr (std::signed_integral<T>) {
    return text_of_number(static_cast<long long>(x));
  } else if constexpr (std::unsigned_integral<T>) {
    return text_of_number(static_cast<unsigned long long>(x));
  } else if constexpr (std::floating_point<T>) {
    return text_of_number(static_cast<double>(x));
  } else if constexpr (requires { std::span{x.data(), x.size()}; }) {
    using element = std::remove_cvref_t<decltype(*x.data())>;
    if constexpr (has_no_padding<element>())
      return text_of_bytes(std::as_bytes(std::span{x.data(), x.size()}));
    return {};
  } else if constexpr (has_no_padding<T>()) {
    return text_of_bytes(std::as_bytes(std::span{&x, 1}));
  } else {
    return {};
  }
}

}  // namespace deed::runtime
