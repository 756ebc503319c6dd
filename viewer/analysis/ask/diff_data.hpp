// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"
#include "analysis/model.hpp"
#include "analysis/say/answer.hpp"

/// @file
/// What happened to the data of two runs: from their registration to their end, also of those that
/// are in a part. Data go by name.

namespace deed::viewer {

/// Of each datum whose owners differ, the first change that does: "v3: rank 0 / rank 2".
[[nodiscard]] table owners_that_differ(const model& a, const model& b, const part_of_both& part);
/// Of each datum, the first task whose result counted in another order: commuting writers and the
/// contributions to a reduction may take turns, and a sum of floating-point numbers shows it.
[[nodiscard]] table results_in_other_order(const model& a, const model& b,
                                           const part_of_both& part);

}  // namespace deed::viewer
