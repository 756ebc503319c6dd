// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/checked.hpp>
#include <deed/base/place.hpp>
#include <deed/data/tile.hpp>
#include <deed/data/type_operations.hpp>
#include <deed/ownership/contract.hpp>
#include <deed/runtime/device_bodies.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

/// @file
/// `deed::scratch<T>(shape)`: memory for the time of one task.

namespace deed {

namespace runtime {

/// The bytes of `shape`, rounded up to whole cache lines.
/// @throws deed::error D906 if no memory has as many.
[[nodiscard]] std::size_t scratch_bytes(data::extents shape, std::size_t element_bytes,
                                        place where);

template <class View>
struct scratch_shape {
  data::extents extents;
  std::size_t bytes;  // Rounded up, for the next to be aligned.
};
/// "8 x 8", for ranks that compare what they submitted.
[[nodiscard]] std::string text_of_extents(data::extents shape);
template <class View>
std::string text_of_value(const scratch_shape<View>& asked) {
  return text_of_extents(asked.extents);
}

/// Elements in memory of a worker, from the begin to the end of a body's call.
template <class View>
class scratch_memory {
 public:
  using element = typename View::element_type;
  scratch_memory(std::byte* at, const scratch_shape<View>& asked)
      : first_(reinterpret_cast<element*>(at)), shape_(asked.extents) {
    if constexpr (!std::is_trivially_default_constructible_v<element>)
      std::uninitialized_default_construct_n(first_, size());
    // What is read before it is written (D216) is then no number.
    else if (!std::is_same_v<checked_place, unchecked_place> && size() != 0)
      std::memset(static_cast<void*>(first_), 0xff, size() * sizeof(element));
  }
  scratch_memory(const scratch_memory&) = delete;
  scratch_memory& operator=(const scratch_memory&) = delete;
  ~scratch_memory() {
    if constexpr (!std::is_trivially_destructible_v<element>) std::destroy_n(first_, size());
  }
  operator View() const noexcept {
    if constexpr (std::is_same_v<View, tile<element>>) {
      return {first_, shape_.rows, shape_.cols};
    } else {
      return {first_, size()};
    }
  }

 private:
  [[nodiscard]] std::size_t size() const noexcept { return shape_.rows * shape_.cols; }
  element* first_;
  data::extents shape_;
};

}  // namespace runtime

/// Memory that one task has while it runs. Made by `scratch`.
template <class View>
struct [[nodiscard]] DEED_MODEL("type", "token") scratch_argument {
  static_assert(std::is_default_constructible_v<typename View::element_type>,
                "deed[D901] elements of this type cannot be made; give it a default constructor");

  runtime::scratch_shape<View> shape;
  place where;
};

/// Gives the task room for `count` elements; its body takes a `std::span<T>`, a body for devices a
/// `gpu::device_span<T>`.
///
/// The room comes from the worker and goes back to it when the body returns: it holds what the task
/// before left there (of a type with a constructor: new elements), and nothing lasts until the next
/// task. No datum: it does not travel, orders no tasks and says nothing about who runs the task.
/// Blocks: never. Cost: none, once the worker has as much; a worker keeps the most that a task
/// asked for, aligned to 64 bytes. A device holds it as long as the task, and may evict data for
/// it.
/// @throws deed::error D906 if no memory has as many.
template <class T>
DEED_MODEL("accesses", "scratch")
scratch_argument<std::span<T>> scratch(std::size_t count, place where = place::current()) {
  return {{{count, 1}, runtime::scratch_bytes({count, 1}, sizeof(T), where)}, where};
}
/// Gives the task room for `rows` times `cols` elements, without gaps; its body takes a
/// `deed::tile<T>`, a body for devices also a `gpu::device_tile<T>`.
/// @throws as above.
template <class T>
DEED_MODEL("accesses", "scratch")
scratch_argument<tile<T>> scratch(data::extents shape, place where = place::current()) {
  return {{shape, runtime::scratch_bytes(shape, sizeof(T), where)}, where};
}

namespace ownership {

template <class View>
struct is_argument<scratch_argument<View>> : std::true_type {};
template <class View, class Parameter>
struct fits<scratch_argument<View>, Parameter> : std::is_same<Parameter, View> {};

}  // namespace ownership

namespace runtime {

template <class T>
inline constexpr bool is_scratch = false;
template <class View>
inline constexpr bool is_scratch<scratch_argument<View>> = true;

template <class View, class Parameter>
struct fits_device<scratch_argument<View>, Parameter>
    : std::bool_constant<
          std::is_trivially_copyable_v<typename View::element_type> &&
          std::is_same_v<typename View::element_type, typename device_view<Parameter>::element>> {};

}  // namespace runtime
}  // namespace deed
