// SPDX-License-Identifier: MIT
#pragma once

#include "rules/rule.hpp"

/// @file
/// D401 of tiles: a task on each tile of a matrix, inserted by some ranks only. Where the owners of
/// a matrix are a function of the program, a run on all ranks does not know them.

namespace deed::check {

void look_at_lone_tiles(const whole_function& seen, const sink& report);

}  // namespace deed::check
