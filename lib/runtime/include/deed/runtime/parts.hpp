// SPDX-License-Identifier: MIT
#pragma once

#include <deed/data/datum.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

/// @file
/// How the parts of many ranks make one whole, how a whole is cut, and how two values become one.

namespace deed::runtime {

using part_bytes = std::span<const std::byte>;

/// Where a part of a whole lies. Units: bytes.
struct part_place {
  std::size_t first, length;
};

/// The untyped face of "a part of type P belongs to a whole of type W"; one constant object each.
struct part_operations {
  const data::type_operations* part;
  const data::type_operations* whole;
  std::size_t element_bytes;   ///< Of one element of a flat whole.
  std::uint64_t element_hash;  ///< Of what both consist of; compared before a byte is stored.
  /// Makes `whole` of the parts, in order. `kept`: the place of that part keeps what it has; -1:
  /// all are there. @throws deed::error D509 if they do not fit; then `whole` is as before.
  void (*assemble)(void* whole, std::span<const part_bytes> parts, int kept);
  /// Appends part `index` of `count`.
  /// @throws deed::error D509 if a whole of this length has no such parts.
  void (*divide)(const void* whole, std::size_t index, std::size_t count, std::size_t bytes_each,
                 data::packed_buffer& to);
};

/// Copies the parts one behind the other into the bytes of a whole.
void assemble_bytes(const data::type_operations& whole, void* storage,
                    std::span<const part_bytes> parts, int kept);
/// Copies each part to its place; what lies between keeps what it has.
void place_bytes(const data::type_operations& whole, void* storage,
                 std::span<const part_bytes> parts, std::span<const part_place> places, int kept);
/// Appends what lies at a place.
void take_bytes(const data::type_operations& whole, const void* storage, const part_place& from,
                data::packed_buffer& to);
/// Cuts the bytes of a whole: into pieces of `bytes_each`, or (0) as evenly as elements allow.
void divide_bytes(const data::type_operations& whole, const void* storage, std::size_t element,
                  std::size_t index, std::size_t count, std::size_t bytes_each,
                  data::packed_buffer& to);

template <class T>
struct element_of {
  using type = T;
};
template <class E, class A>
struct element_of<std::vector<E, A>> {
  using type = E;
};
template <class E>
struct element_of<std::span<E>> {
  using type = std::remove_const_t<E>;
};
template <class E>
struct element_of<tile<E>> {
  using type = E;
};
template <class T>
using element_of_t = typename element_of<T>::type;

/// A whole that consists of the parts' elements, one behind the other in memory.
template <class Part, class Whole>
inline constexpr bool is_flat = (std::is_same_v<element_of_t<Part>, element_of_t<Whole>> ||
                                 std::is_same_v<Part, element_of_t<Whole>>) &&
                                !std::is_same_v<Whole, element_of_t<Whole>> &&
                                data::detail::form_of<Whole>() != data::wire_form::packed;
/// Its elements are bits, and have no address.
template <class Whole>
inline constexpr bool is_list_of_bits = std::is_same_v<Whole, std::vector<bool>>;
/// A list of which each part is one value.
template <class Part, class Whole>
inline constexpr bool is_list =
    std::is_same_v<Whole, std::vector<Part>> && !is_flat<Part, Whole> && !is_list_of_bits<Whole>;

template <class Part, class Whole>
struct part_of {
  static_assert(!is_list_of_bits<Whole>,
                "deed[D202] the elements of std::vector<bool> are no values of their own; take int "
                "or char for bool");
  static_assert(is_flat<Part, Whole> || is_list<Part, Whole> || is_list_of_bits<Whole>,
                "deed[D202] these parts do not make such a whole; take a std::vector of the part's "
                "type, or a vector, span or tile of its elements");
  using operations = data::detail::operations<Part>;

  static void assemble(void* whole, std::span<const part_bytes> parts, int kept) {
    if constexpr (is_flat<Part, Whole>) {
      assemble_bytes(data::operations_of<Whole>(), whole, parts, kept);
    } else if constexpr (is_list<Part, Whole>) {
      auto& list = *static_cast<Whole*>(whole);
      Whole fresh(parts.size());
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (static_cast<int>(i) == kept) {
          fresh[i] = i < list.size() ? std::move(list[i]) : Part{};
        } else {
          operations::unpack(&fresh[i], parts[i]);
        }
      }
      list = std::move(fresh);
    }
  }
  static void divide(const void* whole, std::size_t index, std::size_t count,
                     std::size_t bytes_each, data::packed_buffer& to) {
    if constexpr (is_flat<Part, Whole>) {
      divide_bytes(data::operations_of<Whole>(), whole, sizeof(element_of_t<Whole>), index, count,
                   bytes_each, to);
    } else if constexpr (is_list<Part, Whole>) {
      const auto& list = *static_cast<const Whole*>(whole);
      if (list.size() != count) data::detail::refuse_size(list.size(), count);
      operations::pack(&list[index], to);
    }
  }
  static constexpr part_operations object{
      &data::operations_of<Part>(),
      &data::operations_of<Whole>(),
      sizeof(element_of_t<Whole>),
      data::type_hash<std::conditional_t<is_flat<Part, Whole>, element_of_t<Whole>, Part>>,
      &assemble,
      &divide};
};

/// A part of nothing: where parts are not put together.
template <class T>
inline constexpr part_operations part_alone{&data::operations_of<T>(),
                                            &data::operations_of<T>(),
                                            sizeof(element_of_t<T>),
                                            data::type_hash<T>,
                                            nullptr,
                                            nullptr};

/// "`into` becomes into ∘ from", for values or, where the operation knows elements only, for each.
template <class T, class Operation>
struct combination {
  using traits = data::datum_traits<T>;
  using element = element_of_t<T>;

  template <class E>
  static constexpr bool takes = std::is_invocable_r_v<E, const Operation&, const E&, const E&> ||
                                std::is_invocable_r_v<void, const Operation&, E&, const E&>;
  static_assert(takes<T> || takes<element>,
                "deed[D605] the operation combines no two values of this type; give it the "
                "signature `T(const T&, const T&)` or `void(T&, const T&)`, of the value or of its "
                "elements");

  template <class E>
  static void one(const Operation& operation, E& into, const E& from) {
    if constexpr (std::is_invocable_r_v<E, const Operation&, const E&, const E&>) {
      into = operation(std::as_const(into), from);
    } else {
      operation(into, from);
    }
  }
  static void all(const Operation& operation, void* into, const void* from) {
    auto& left = *static_cast<typename traits::storage*>(into);
    const auto& right = *static_cast<const typename traits::storage*>(from);
    if constexpr (takes<T>) {
      one<T>(operation, left, right);
    } else {
      const auto mine = elements(traits::write_view(left));
      const auto theirs = elements(traits::read_view(right));
      if (mine.size() != theirs.size()) {
        data::detail::refuse_size(theirs.size() * sizeof(element), mine.size() * sizeof(element));
      }
      for (std::size_t i = 0; i < mine.size(); ++i) one<element>(operation, mine[i], theirs[i]);
    }
  }

 private:
  template <class View>
  static auto elements(View&& view) {
    if constexpr (requires { view.row_stride(); }) {
      return std::span(view.data(), view.rows() * view.cols());  // Of its own, so contiguous.
    } else {
      return std::span(view);
    }
  }
};

}  // namespace deed::runtime
