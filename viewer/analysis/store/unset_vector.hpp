// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// Tables with a number for each event, which is not written twice.

namespace deed::viewer {

/// New numbers have no value until one is put there, nor have rows of them.
template <class T>
struct leaves_unset : std::allocator<T> {
  template <class Other>
  struct rebind {
    using other = leaves_unset<Other>;
  };

  template <class Made, class... Arguments>
  void construct(Made* at, Arguments&&... arguments) {
    // The memory is there, and a row of numbers lives wherever there is memory for it.
    constexpr bool of_numbers = std::is_trivially_copyable_v<Made>;
    if constexpr (sizeof...(Arguments) != 0 || !of_numbers)
      std::construct_at(at, std::forward<Arguments>(arguments)...);
  }
};

template <class T>
using unset_vector = std::vector<T, leaves_unset<T>>;

}  // namespace deed::viewer
