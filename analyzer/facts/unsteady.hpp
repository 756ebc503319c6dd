// SPDX-License-Identifier: MIT
#pragma once

#include "facts/unit.hpp"

/// @file
/// Variables that change when nobody sees it.

namespace deed::check {

/// Marks what a lambda captures by reference and may write, where the lambda is more than called by
/// its name: given to a `std::function`, a thread or an algorithm, or generic, so that its body is
/// not followed at its calls; and numbers whose address is kept. Of such a variable no number is
/// known, anywhere.
void note_unsteady(unit& facts, const clang::FunctionDecl& body);

}  // namespace deed::check
