// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

/// @file
/// Tables with a number for each event, which is not written twice.

namespace deed::viewer {

/// New numbers have no value until one is put there.
template <class T>
struct leaves_unset : std::allocator<T> {
  template <class Other>
  struct rebind {
    using other = leaves_unset<Other>;
  };

  template <class Made, class... Arguments>
  void construct(Made* at, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) == 0)
      ::new (static_cast<void*>(at)) Made;
    else
      std::construct_at(at, std::forward<Arguments>(arguments)...);
  }
};

template <class T>
using unset_vector = std::vector<T, leaves_unset<T>>;

}  // namespace deed::viewer
