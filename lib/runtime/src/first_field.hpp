// SPDX-License-Identifier: MIT
#pragma once

#include "comparison.hpp"

#include <string>

/// @file
/// Verify mode, `global`: the first field in which two submissions differ.

namespace deed::runtime {

/// What is the same on both but for one field: "mode of `a`: read on rank 0, write on rank 1".
/// Empty: neither rank was asked for all fields, or nothing differs. Versions are no field: who has
/// nothing to do with a write may leave it out (docs/decisions/0005).
[[nodiscard]] std::string first_field(const told_dealing& one, int rank_of_one,
                                      const told_dealing& two, int rank_of_two);
[[nodiscard]] std::string first_value(const told_step& one, int rank_of_one, const told_step& two,
                                      int rank_of_two);

/// The same call with the same data, but run elsewhere.
[[nodiscard]] const told_dealing* placed_elsewhere(const told_dealing& wanted,
                                                   const std::vector<told_dealing>& among);

}  // namespace deed::runtime
