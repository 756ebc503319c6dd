// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/random.hpp>
#include <deed/ownership/members.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

/// @file
/// Names and hashes of types, known to the compiler and equal on all ranks.

namespace deed::data {

namespace detail {

template <class T>
constexpr std::string_view pretty() noexcept {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  const std::size_t end = text.find("; std::string_view = ");  // g++ explains the return type.
  return text.substr(0, end == text.npos ? text.size() - 1 : end);
}

/// g++ and Clang differ in spaces, in the inline namespace of strings, and in `(anonymous …)`.
constexpr std::uint64_t hash_of_text(std::uint64_t hash, std::string_view text) {
  constexpr std::string_view inline_namespace = "__cxx11::";
  constexpr std::string_view anonymous_there = "(anonymous namespace)";
  constexpr std::string_view anonymous_here = "{anonymous}";
  while (!text.empty()) {
    if (text.starts_with(inline_namespace)) {
      text.remove_prefix(inline_namespace.size());
    } else if (text.starts_with(anonymous_there) || text.starts_with(anonymous_here)) {
      text.remove_prefix(text.find(text.front() == '(' ? ')' : '}') + 1);
      hash = mix(hash, '?');
    } else {
      if (text.front() != ' ') hash = mix(hash, static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
    }
  }
  return hash;
}

/// `std::span<double>`: the compilers write its extent out where it has none.
template <class T>
inline constexpr auto span_name = [] {
  constexpr std::string_view before = "std::span<", element = pretty<T>();
  std::array<char, before.size() + element.size() + 1> text{};
  *std::ranges::copy(element, std::ranges::copy(before, text.begin()).out).out = '>';
  return text;
}();

/// `a<int>::b<c<d>>` without its last bracket: `a<int>::b`.
constexpr std::string_view without_arguments(std::string_view name) {
  std::size_t open = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == '>') ++open;
    if (name[i] == '<' && --open == 0) return name.substr(0, i);
  }
  return name;
}

template <class T>
struct hash_of_type;

template <class... M>
constexpr std::uint64_t hash_of_members(std::uint64_t hash, std::type_identity<std::tuple<M...>>) {
  ((hash = mix(hash, hash_of_type<M>::value)), ...);
  return hash;
}

template <class T>
constexpr std::uint64_t leaf_hash() {
  std::uint64_t hash = 0;
  if constexpr (std::is_same_v<T, bool>) {
    hash = mix(hash, 'b');
  } else if constexpr (std::is_integral_v<T>) {
    hash = mix(hash, std::is_signed_v<T> ? 'i' : 'u');  // `long` and `long long` are one.
  } else if constexpr (std::is_floating_point_v<T>) {
    hash = mix(hash, 'f');
  } else {
    hash = hash_of_text(hash, pretty<T>());
  }
  if constexpr (std::is_void_v<T>) {
    return hash;
  } else if constexpr (std::is_trivially_copyable_v<T> && ownership::visible_aggregate<T>) {
    return hash_of_members(mix(hash, sizeof(T)), std::type_identity<ownership::member_types<T>>{});
  } else {
    return mix(hash, sizeof(T));
  }
}

template <class T>
struct hash_of_type {
  static constexpr std::uint64_t value = leaf_hash<T>();
};
template <class T>
struct hash_of_type<const T> {
  static constexpr std::uint64_t value = mix(hash_of_type<T>::value, 'c');
};
template <template <class...> class Template, class... A>
struct hash_of_type<Template<A...>> {
  static constexpr std::uint64_t value = [] {
    std::uint64_t hash = hash_of_text(1, without_arguments(pretty<Template<A...>>()));
    ((hash = mix(hash, hash_of_type<A>::value)), ...);
    return mix(hash, sizeof(Template<A...>));
  }();
};
template <template <class, auto...> class Template, class A, auto... V>
  requires(sizeof...(V) > 0 && (std::is_integral_v<decltype(V)> && ...))
struct hash_of_type<Template<A, V...>> {
  static constexpr std::uint64_t value = [] {
    using T = Template<A, V...>;
    std::uint64_t hash = hash_of_text(2, without_arguments(pretty<T>()));
    hash = mix(hash, hash_of_type<A>::value);
    ((hash = mix(hash, static_cast<std::uint64_t>(V))), ...);
    return mix(hash, sizeof(T));
  }();
};
template <class T, std::size_t N>
struct hash_of_type<T[N]> {
  static constexpr std::uint64_t value = mix(mix(hash_of_type<T>::value, N), '[');
};

}  // namespace detail

/// The name of `T` as this compiler writes it. For messages; not equal between compilers.
template <class T>
inline constexpr std::string_view type_name = detail::pretty<T>();
template <class T>
inline constexpr std::string_view type_name<std::span<T>>{detail::span_name<T>.data(),
                                                          detail::span_name<T>.size()};

/// 64 bits from the name and the size of `T`; templates of types are hashed argument by argument,
/// so that g++ and Clang agree on them.
template <class T>
inline constexpr std::uint64_t type_hash = detail::hash_of_type<T>::value;

}  // namespace deed::data
