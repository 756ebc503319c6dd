// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

/// @file
/// What may be handed on by copy: nothing that holds an address.

namespace deed::ownership {

/// Whether a `T` holds a pointer, a reference or a view, which means nothing on another rank.
template <class T>
struct holds_address : std::bool_constant<std::is_pointer_v<T> || std::is_reference_v<T>> {};

}  // namespace deed::ownership
