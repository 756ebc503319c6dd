// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

/// @file
/// Memory of what is not needed any more.

namespace deed::viewer {

/// `= {}` would empty a container, and keep its memory.
template <class Container>
void give_back(Container& unneeded) {
  std::exchange(unneeded, Container());
}

}  // namespace deed::viewer
