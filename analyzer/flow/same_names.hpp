// SPDX-License-Identifier: MIT
#pragma once

#include "flow/function.hpp"

#include <memory>

/// @file
/// Functions of one name: units of one run may be of several executables, each with its own.

namespace deed::check {

/// Adds a function of a unit, unless it is known from another: one of a header. A function that
/// stands at another place than the known one of its USR is kept beside it.
function& keep(std::unique_ptr<function> f, program& into);

/// After the last unit: gives each function of a USR with several a name of its own. What names one
/// of them means the one of its unit. Of units that do not agree, or that define none, it names
/// nothing that is known.
void tell_apart(program& all);

}  // namespace deed::check
