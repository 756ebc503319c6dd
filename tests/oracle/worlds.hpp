// SPDX-License-Identifier: MIT
#pragma once

#include "plan.hpp"

#include <cstdint>
#include <string>

/// @file
/// Runs a plan on all its ranks, and says what went wrong.

namespace oracle {

struct verdict {
  std::string wrong;             ///< Empty: all as the model says.
  std::uint64_t event_hash = 0;  ///< Of a simulated run.
};

enum class world { simulated, threads };

[[nodiscard]] verdict run(world where, const plan& program);

}  // namespace oracle
