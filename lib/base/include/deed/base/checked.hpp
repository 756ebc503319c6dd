// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>

/// @file
/// What is too often for a check in every build: an element of a view. It is checked in builds
/// without `NDEBUG`, and in hardened ones, which define `DEED_HARDENED`.

namespace deed {

/// Where an element is asked for, in builds that do not check it: nothing. Functions of the two
/// kinds of build have different names through it, so that a program made of both mixes none.
struct unchecked_place {
  [[nodiscard]] static constexpr unchecked_place current() noexcept { return {}; }
};

/// Comes last, as a default argument: `checked_place where = checked_place::current()`.
#if defined(DEED_HARDENED) || !defined(NDEBUG)
using checked_place = place;
#else
using checked_place = unchecked_place;
#endif

}  // namespace deed
