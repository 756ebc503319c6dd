// SPDX-License-Identifier: MIT
#pragma once

#include "flow/function.hpp"

#include <string>

/// @file
/// The facts of one unit as bytes: for another process, and for the next run.

namespace deed::check {

[[nodiscard]] std::string stored(const program& unit);

/// Adds the facts of a unit to a program. What both know (files, globals, codelets, functions of
/// headers) is taken once; `tell_apart` follows the last unit. False if the bytes are no facts of
/// this version.
[[nodiscard]] bool absorb(const std::string& bytes, program& into);

}  // namespace deed::check
