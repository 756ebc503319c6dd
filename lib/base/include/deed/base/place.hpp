// SPDX-License-Identifier: MIT
#pragma once

#include <source_location>
#include <string>

/// @file
/// `deed::place`: a line of the user's program.

namespace deed {

/// Where the user wrote a call. Comes last, as a default argument: `place where =
/// place::current()`.
using place = std::source_location;

/// "heat.cpp:57", without the directories of the machine it was built on.
[[nodiscard]] std::string to_string(place where);

}  // namespace deed
