// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>
#include <deed/ownership/registrar.hpp>

#include <span>

/// @file
/// The untyped side of changing the owners of data.

namespace deed::runtime {

class core;

/// A datum, and who shall own it.
struct move_to {
  ownership::slot datum;
  int owner;
};

/// All of them, or, if one cannot be, none.
/// @throws deed::error D109 if there is no such rank.
void migrate(core& home, std::span<const move_to> moves, place where);

}  // namespace deed::runtime
