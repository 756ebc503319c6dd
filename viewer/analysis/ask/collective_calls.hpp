// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/model.hpp"

#include <cstdint>
#include <string>

/// @file
/// What the counts of transfers leave out: what programs move in calls that they make together, of
/// which no message is recorded, and what never took place.

namespace deed::viewer {

/// "3 all_reduce, 3 gather: programs stood in these calls, each rank counted; what they move is no
/// transfer". Empty: in none that moves anything.
[[nodiscard]] std::string say_collective_calls(const model& of, const run_part& part = {});
/// "2 more were called for and never took place", as of a run that was killed.
[[nodiscard]] std::string say_not_taken_place(const model& of, std::uint64_t transfers);

}  // namespace deed::viewer
