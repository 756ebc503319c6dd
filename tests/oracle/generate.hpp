// SPDX-License-Identifier: MIT
#pragma once

#include "plan.hpp"

#include <cstdint>

/// @file
/// Draws plans. Nothing random happens after that.

namespace oracle {

/// From which plans are drawn.
struct range {
  int fewest_ranks = 1;
  int most_ranks = 8;
  int fewest_tasks = 1;
  int most_devices = 0;   ///< Of each rank.
  int most_tasks = 2000;  ///< Log-uniform, so that 1 to 2,000 has a median of 45.
};

/// The plan of a number: equal on every machine.
[[nodiscard]] plan generate(std::uint64_t seed, const range& from);

}  // namespace oracle
