// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/model.hpp"

#include <string>

/// @file
/// What programs move in calls that they make together, of which no message is recorded.

namespace deed::viewer {

/// "3 all_reduce, 3 gather: programs stood in these calls, each rank counted; what they move is no
/// transfer". Empty: in none that moves anything.
[[nodiscard]] std::string say_collective_calls(const model& of, const run_part& part = {});

}  // namespace deed::viewer
