// SPDX-License-Identifier: MIT
#pragma once

#include <deed/data/archive.hpp>
#include <deed/data/detail/sizes.hpp>
#include <deed/data/tile_block.hpp>
#include <deed/data/type_operations.hpp>
#include <deed/ownership/contract.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

/// @file
/// From the type of a handle to how its value is stored, seen by tasks, and sent.

namespace deed::ownership {

template <class E>
struct views<tile<E>> {
  using read = tile<const E>;
  using write = tile<E>;
};
template <class E>
struct views<std::span<E>> {
  using read = std::span<const E>;
  using write = std::span<E>;
};

}  // namespace deed::ownership

namespace deed::data {

/// What a handle's value type `T` is stored as, and what a task's parameter is given.
template <class T>
struct datum_traits {
  using storage = T;
  static const T& read_view(const storage& value) noexcept { return value; }
  static T& write_view(storage& value) noexcept { return value; }
};

template <class E>
struct datum_traits<tile<E>> {
  using storage = tile_block<E>;
  static tile<const E> read_view(const storage& value) noexcept { return value.read_view(); }
  static tile<E> write_view(storage& value) { return value.write_view(); }
};

template <class E>
struct datum_traits<std::span<E>> {
  using storage = span_block<E>;
  static std::span<const E> read_view(const storage& value) noexcept { return value.read_view(); }
  static std::span<E> write_view(storage& value) { return value.write_view(); }
};

namespace detail {

template <class T>
inline constexpr bool is_block = false;
template <class E>
inline constexpr bool is_block<tile_block<E>> = true;
template <class E>
inline constexpr bool is_block<span_block<E>> = true;

/// Only what a vector and a string are: one block of elements that the value owns.
template <class T>
inline constexpr bool is_resizable = false;
template <class E, class A>
inline constexpr bool is_resizable<std::vector<E, A>> =
    bytes_are_value<E>(true) && !std::is_same_v<E, bool>;
template <class C, class Traits, class A>
inline constexpr bool is_resizable<std::basic_string<C, Traits, A>> = true;

template <class T>
constexpr wire_form form_of() {
  using storage = typename datum_traits<T>::storage;
  if constexpr (is_block<storage> || bytes_are_value<T>(true) ||
                (laid_out_in_memory<T> && !layout_resizes<T>)) {
    return wire_form::fixed;
  } else if constexpr (is_resizable<T> || layout_resizes<T>) {
    return wire_form::resizable;
  } else {
    return wire_form::packed;
  }
}

/// The functions behind `type_operations` for the value type `T`.
template <class T>
struct operations {
  using storage = typename datum_traits<T>::storage;
  static constexpr wire_form form = form_of<T>();

  static storage& value(void* at) noexcept { return *static_cast<storage*>(at); }
  static const storage& value(const void* at) noexcept { return *static_cast<const storage*>(at); }

  static constexpr std::size_t element_bytes() noexcept {
    if constexpr (is_block<storage>) {
      return sizeof(typename storage::element_type);
    } else {
      return sizeof(T);
    }
  }
  static void construct(void* at, const extents& shape, [[maybe_unused]] block_pool* pool) {
    if constexpr (is_block<storage>) {
      ::new (at) storage(shape, pool);
    } else if constexpr (std::is_default_constructible_v<T>) {
      ::new (at) storage();
    } else {
      static_assert(std::is_trivially_copyable_v<T>,
                    "deed[D901] a value of this type cannot be made on another rank; "
                    "give it a default constructor");
      std::memset(at, 0, sizeof(T));  // A trivially copyable value begins to live with its bytes.
    }
  }
  static void destroy(void* at) noexcept { value(at).~storage(); }

  static std::uint64_t bytes(const void* at) {
    if constexpr (is_block<storage>) {
      return value(at).bytes().bytes();
    } else if constexpr (laid_out_in_memory<T>) {
      return payload_bytes(value(at));
    } else if constexpr (form == wire_form::resizable) {
      return value(at).size() * sizeof(typename T::value_type);
    } else {
      return sizeof(T);
    }
  }
  static const_memory_block source(const void* at) {
    if constexpr (is_block<storage>) {
      return value(at).bytes().source();
    } else if constexpr (laid_out_in_memory<T>) {
      return payload(value(at));
    } else if constexpr (form == wire_form::resizable) {
      return {reinterpret_cast<const std::byte*>(value(at).data()), bytes(at)};
    } else if constexpr (form == wire_form::fixed) {
      return {static_cast<const std::byte*>(at), sizeof(T)};
    } else {
      return {};
    }
  }
  static memory_block prepare(void* at, std::uint64_t arriving) {
    if constexpr (is_block<storage>) {
      return value(at).bytes().prepare(arriving);
    } else if constexpr (laid_out_in_memory<T>) {
      return make_room(value(at), arriving);
    } else if constexpr (form == wire_form::resizable) {
      require_whole(arriving, sizeof(typename T::value_type));
      value(at).resize(arriving / sizeof(typename T::value_type));
      return {reinterpret_cast<std::byte*>(value(at).data()), arriving};
    } else if constexpr (form == wire_form::fixed) {
      if (arriving != sizeof(T)) refuse_size(arriving, sizeof(T));
      return {static_cast<std::byte*>(at), sizeof(T)};
    } else {
      return {};
    }
  }
  static void pack(const void* at, packed_buffer& to) {
    if constexpr (laid_out_in_memory<T>) {
      append_payload(value(at), to);
    } else if constexpr (form == wire_form::packed) {
      data::pack(value(at), to);
    } else {
      append_rows(source(at), to);
    }
  }
  static void unpack(void* at, std::span<const std::byte> from) {
    if constexpr (laid_out_in_memory<T>) {
      spread_payload(value(at), from);
    } else if constexpr (form == wire_form::packed) {
      data::unpack(value(at), from);
    } else {
      spread_rows(from, prepare(at, from.size()));
    }
  }

  static constexpr bool is_payload =
      form == wire_form::fixed && !is_block<storage> && !laid_out_in_memory<T>;
  static constexpr auto wrap() -> void (*)(void*, const extents&, std::byte*) {
    if constexpr (is_block<storage>) {
      return [](void* at, const extents& shape, std::byte* memory) {
        ::new (at) storage(storage::wrapped(shape, memory));
      };
    } else {
      return nullptr;
    }
  }
};

template <class T>
inline constexpr type_operations operations_object{
    .type_hash = mix(type_hash<T>, version_of<T>()),
    .type_name = type_name<T>,
    .form = operations<T>::form,
    .storage_bytes = sizeof(typename operations<T>::storage),
    .storage_alignment = alignof(typename operations<T>::storage),
    .element_bytes = operations<T>::element_bytes(),
    .construct = operations<T>::construct,
    .destroy = operations<T>::destroy,
    .bytes = operations<T>::bytes,
    .source = operations<T>::source,
    .prepare = operations<T>::prepare,
    .pack = operations<T>::pack,
    .unpack = operations<T>::unpack,
    .is_payload = operations<T>::is_payload,
    .wrap = operations<T>::wrap(),
};

}  // namespace detail

/// The untyped face of the value type `T` of a handle. The same object for every call.
/// Does not compile for a type that cannot travel (D901) or that holds an address (D903).
template <class T>
constexpr auto operations_of() noexcept -> const auto& {
  if constexpr (detail::form_of<T>() != wire_form::packed || travels<T>) {
    return detail::operations_object<T>;
  } else {
    detail::require_travels<T>();  // Does not: the one error.
    return detail::operations_object<char>;
  }
}

}  // namespace deed::data
