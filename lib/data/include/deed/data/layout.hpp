// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// `deed::layout`: what a user says about the bytes of a type.

namespace deed {

/// Says how the bytes of a `T` lie, where deed decides otherwise or cannot know. Specialise it
/// before the first use of `T`; not for types of which deed's own choice is right: trivially
/// copyable ones, vectors, tiles, aggregates, and those with `serialize()`.
///
/// One of three answers: derive from `layout_as_bytes`; derive from `layout_packed`; or name
/// memory, with these static functions:
///
/// | function | when | says |
/// |---|---|---|
/// | `memory_block memory(T&)` | always | where the payload lies, in one piece or in rows; it is
/// sent without a copy. No address: pack it | | `void resize(T&, std::uint64_t bytes)` | the size
/// may change | makes room for what arrives | | `std::uint64_t bytes(const T&)`, `void pack(const
/// T&, std::byte*)`, `void unpack(T&, const std::byte*)` | `memory` may have no address | the same
/// bytes, row after row |
///
/// Keeps: the block that `memory` names stays valid until the value is changed.
///
/// @code{.cpp}
/// template <>
/// struct deed::layout<submatrix> {  // 8 columns out of a matrix of leading dimension `ld`
///   static deed::memory_block memory(submatrix& s) {
///     return {reinterpret_cast<std::byte*>(s.data), 8 * sizeof(double), s.rows, s.ld *
///     sizeof(double)};
///   }
/// };
/// @endcode
template <class T>
struct layout;

/// For `layout<T>`: the bytes of the object are the value, whatever its class looks like.
struct layout_as_bytes {};

/// For `layout<T>`: never as bytes; through `serialize()` or member by member.
struct layout_packed {};

namespace data::detail {

template <class T>
concept with_layout = requires { sizeof(layout<T>); };

template <class T>
concept laid_out_as_bytes = with_layout<T> && std::is_base_of_v<layout_as_bytes, layout<T>>;

template <class T>
concept laid_out_packed = with_layout<T> && std::is_base_of_v<layout_packed, layout<T>>;

/// The user names the memory of the payload.
template <class T>
concept laid_out_in_memory = with_layout<T> && !laid_out_as_bytes<T> && !laid_out_packed<T>;

template <class T>
concept layout_resizes =
    laid_out_in_memory<T> && requires(T& x, std::uint64_t bytes) { layout<T>::resize(x, bytes); };

template <class T>
concept layout_packs = laid_out_in_memory<T> &&
                       requires(T& to, const T& from, std::byte* there, const std::byte* here) {
                         layout<T>::pack(from, there);
                         layout<T>::unpack(to, here);
                       };

/// The payload of a value whose `layout` names memory. Constant values are looked at, not changed.
template <laid_out_in_memory T>
memory_block payload(const T& x) {
  return layout<T>::memory(const_cast<T&>(x));
}

template <laid_out_in_memory T>
std::uint64_t payload_bytes(const T& x) {
  if constexpr (requires { layout<T>::bytes(x); }) {
    return layout<T>::bytes(x);
  } else {
    return payload(x).bytes();
  }
}

}  // namespace data::detail
}  // namespace deed
