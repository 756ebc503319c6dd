// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

/// @file
/// Looks into plain aggregates: how many members, of which types.
///
/// Boost.PFR 1.81 does not compile for a member that is an array (`double x[3]`), for bit-fields
/// and for base classes, all of which occur in data of simulations. So deed counts by itself.

namespace deed::ownership {

/// An aggregate with more members is opaque to deed: it travels as bytes or by `serialize()`.
inline constexpr std::size_t most_members = 32;

namespace detail {

/// Stands for a value of any type in an initialiser; never evaluated, so never defined.
template <class Whole>
struct anything {
  template <class U>
    requires(!std::is_same_v<std::remove_cv_t<U>, Whole>)
  operator U&() const& noexcept;
  template <class U>
    requires(!std::is_same_v<std::remove_cv_t<U>, Whole>)
  operator U&&() const&& noexcept;
};

/// Stands for a value of a base class of `Whole` only.
template <class Whole>
struct any_base {
  template <class U>
    requires(std::is_base_of_v<std::remove_cv_t<U>, Whole> &&
             !std::is_same_v<std::remove_cv_t<U>, Whole>)
  operator U() const noexcept;
};

template <class T, std::size_t>
using repeated = T;

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{std::declval<repeated<anything<T>, I>>()...}; } ||
         requires { T{std::declval<repeated<const anything<T>&, I>>()...}; };
}

template <class T, std::size_t... Before, std::size_t... In, std::size_t... After>
constexpr bool takes_array(std::index_sequence<Before...>, std::index_sequence<In...>,
                           std::index_sequence<After...>) {
  return requires {
    T{std::declval<repeated<anything<T>, Before>>()...,
      {std::declval<repeated<anything<T>, In>>()...},
      std::declval<repeated<anything<T>, After>>()...};
  } || requires {
    T{std::declval<repeated<const anything<T>&, Before>>()...,
      {std::declval<repeated<const anything<T>&, In>>()...},
      std::declval<repeated<const anything<T>&, After>>()...};
  };
}

/// Initialisers that `T` takes when the braces of array members are left out.
template <class T, std::size_t N = 0>
constexpr std::size_t count_initialisers() {
  // Arrays make holes impossible: what takes N takes fewer, too. So the first refusal ends it,
  // except for members that cannot be left out, which are found by looking further.
  if constexpr (N > 4 * most_members) {
    return N;
  } else if constexpr (takes<T>(std::make_index_sequence<N + 1>{})) {
    return count_initialisers<T, N + 1>();
  } else {
    return N;
  }
}

/// First count that `T` takes: above 0 where members such as references cannot be left out.
template <class T, std::size_t N = 0>
constexpr std::size_t first_count() {
  if constexpr (N > most_members || takes<T>(std::make_index_sequence<N>{})) {
    return N;
  } else {
    return first_count<T, N + 1>();
  }
}

/// How many of the initialisers from `At` on belong to one array member; 1 if it is none.
/// A class may take several in braces, too, but then it leaves room for one more behind it.
template <class T, std::size_t Total, std::size_t At, std::size_t Size>
constexpr std::size_t array_at() {
  if constexpr (Size <= 1) {
    return 1;
  } else if constexpr (takes_array<T>(std::make_index_sequence<At>{},
                                      std::make_index_sequence<Size>{},
                                      std::make_index_sequence<Total - At - Size>{}) &&
                       !takes_array<T>(std::make_index_sequence<At>{},
                                       std::make_index_sequence<Size>{},
                                       std::make_index_sequence<Total - At - Size + 1>{})) {
    return Size;
  } else {
    return array_at<T, Total, At, Size - 1>();
  }
}

template <class T, std::size_t Total, std::size_t At = 0>
constexpr std::size_t count_from() {
  if constexpr (At >= Total) {
    return 0;
  } else {
    return 1 + count_from<T, Total, At + array_at<T, Total, At, Total - At>()>();
  }
}

inline constexpr std::size_t unknown = ~std::size_t{0};

template <class T>
constexpr std::size_t count_members() {
  if constexpr (!std::is_aggregate_v<T> || std::is_array_v<T> || std::is_union_v<T>) {
    return unknown;
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    return unknown;  // `std::array`, and what binds to names in a way of its own.
  } else if constexpr (std::is_empty_v<T>) {
    return 0;
  } else if constexpr (requires { T{any_base<T>{}}; }) {
    return unknown;  // A structured binding cannot name the members of a base and of the class.
  } else {
    constexpr std::size_t first = first_count<T>();
    if constexpr (first > most_members) {
      return unknown;
    } else {
      constexpr std::size_t total = count_initialisers<T, first>();
      if constexpr (total > 4 * most_members) {
        return unknown;
      } else {
        constexpr std::size_t members = count_from<T, total>();
        return members > most_members ? unknown : members;
      }
    }
  }
}

}  // namespace detail

/// Members of the aggregate `T`; `detail::unknown` where deed cannot look inside.
template <class T>
inline constexpr std::size_t member_count = detail::count_members<std::remove_cv_t<T>>();

/// A plain aggregate: no constructor, no private member, no base, at most `most_members` members.
template <class T>
concept visible_aggregate = std::is_class_v<T> && member_count<T> != detail::unknown;

// clang-format off
namespace detail {

template <class T>
constexpr auto types_of_members(T& object) {
  constexpr std::size_t n = member_count<T>;
  if constexpr (n == 0) return std::type_identity<std::tuple<>>{};
  else if constexpr (n == 1) { auto& [m1] = object; return std::type_identity<std::tuple<decltype(m1)>>{}; }
  else if constexpr (n == 2) { auto& [m1, m2] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2)>>{}; }
  else if constexpr (n == 3) { auto& [m1, m2, m3] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3)>>{}; }
  else if constexpr (n == 4) { auto& [m1, m2, m3, m4] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4)>>{}; }
  else if constexpr (n == 5) { auto& [m1, m2, m3, m4, m5] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5)>>{}; }
  else if constexpr (n == 6) { auto& [m1, m2, m3, m4, m5, m6] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6)>>{}; }
  else if constexpr (n == 7) { auto& [m1, m2, m3, m4, m5, m6, m7] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7)>>{}; }
  else if constexpr (n == 8) { auto& [m1, m2, m3, m4, m5, m6, m7, m8] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8)>>{}; }
  else if constexpr (n == 9) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9)>>{}; }
  else if constexpr (n == 10) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10)>>{}; }
  else if constexpr (n == 11) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11)>>{}; }
  else if constexpr (n == 12) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12)>>{}; }
  else if constexpr (n == 13) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13)>>{}; }
  else if constexpr (n == 14) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14)>>{}; }
  else if constexpr (n == 15) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15)>>{}; }
  else if constexpr (n == 16) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16)>>{}; }
  else if constexpr (n == 17) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17)>>{}; }
  else if constexpr (n == 18) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18)>>{}; }
  else if constexpr (n == 19) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19)>>{}; }
  else if constexpr (n == 20) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20)>>{}; }
  else if constexpr (n == 21) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21)>>{}; }
  else if constexpr (n == 22) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22)>>{}; }
  else if constexpr (n == 23) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23)>>{}; }
  else if constexpr (n == 24) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24)>>{}; }
  else if constexpr (n == 25) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25)>>{}; }
  else if constexpr (n == 26) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26)>>{}; }
  else if constexpr (n == 27) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26), decltype(m27)>>{}; }
  else if constexpr (n == 28) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26), decltype(m27), decltype(m28)>>{}; }
  else if constexpr (n == 29) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29)>>{}; }
  else if constexpr (n == 30) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29), decltype(m30)>>{}; }
  else if constexpr (n == 31) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29), decltype(m30), decltype(m31)>>{}; }
  else if constexpr (n == 32) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32] = object; return std::type_identity<std::tuple<decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29), decltype(m30), decltype(m31), decltype(m32)>>{}; }
}

}  // namespace detail

/// Calls `f` with all members of `object`, in the order of their declaration.
template <class T, class F>
  requires visible_aggregate<std::remove_cv_t<T>>
constexpr decltype(auto) apply_to_members(T& object, F&& f) {
  constexpr std::size_t n = member_count<T>;
  if constexpr (n == 0) return f();
  else if constexpr (n == 1) { auto& [m1] = object; return f(m1); }
  else if constexpr (n == 2) { auto& [m1, m2] = object; return f(m1, m2); }
  else if constexpr (n == 3) { auto& [m1, m2, m3] = object; return f(m1, m2, m3); }
  else if constexpr (n == 4) { auto& [m1, m2, m3, m4] = object; return f(m1, m2, m3, m4); }
  else if constexpr (n == 5) { auto& [m1, m2, m3, m4, m5] = object; return f(m1, m2, m3, m4, m5); }
  else if constexpr (n == 6) { auto& [m1, m2, m3, m4, m5, m6] = object; return f(m1, m2, m3, m4, m5, m6); }
  else if constexpr (n == 7) { auto& [m1, m2, m3, m4, m5, m6, m7] = object; return f(m1, m2, m3, m4, m5, m6, m7); }
  else if constexpr (n == 8) { auto& [m1, m2, m3, m4, m5, m6, m7, m8] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8); }
  else if constexpr (n == 9) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9); }
  else if constexpr (n == 10) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10); }
  else if constexpr (n == 11) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11); }
  else if constexpr (n == 12) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12); }
  else if constexpr (n == 13) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13); }
  else if constexpr (n == 14) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14); }
  else if constexpr (n == 15) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15); }
  else if constexpr (n == 16) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16); }
  else if constexpr (n == 17) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17); }
  else if constexpr (n == 18) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18); }
  else if constexpr (n == 19) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19); }
  else if constexpr (n == 20) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20); }
  else if constexpr (n == 21) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21); }
  else if constexpr (n == 22) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22); }
  else if constexpr (n == 23) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23); }
  else if constexpr (n == 24) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24); }
  else if constexpr (n == 25) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25); }
  else if constexpr (n == 26) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26); }
  else if constexpr (n == 27) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27); }
  else if constexpr (n == 28) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28); }
  else if constexpr (n == 29) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29); }
  else if constexpr (n == 30) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30); }
  else if constexpr (n == 31) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31); }
  else if constexpr (n == 32) { auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32] = object; return f(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32); }
}
// clang-format on

/// `std::tuple` of the members' types as they are declared.
template <visible_aggregate T>
using member_types = typename decltype(detail::types_of_members(std::declval<T&>()))::type;

}  // namespace deed::ownership
