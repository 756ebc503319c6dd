// SPDX-License-Identifier: MIT
#pragma once

#include "rules/rule.hpp"

#include <vector>

/// @file
/// Branches at which some ranks leave a function, by what they alone know, and others go on to a
/// step.

namespace deed::check {

struct early_leave {
  const event *leave = nullptr, *step = nullptr;
  span condition;
  rank_dependence why;
};

/// `opened` has to outlive the result.
[[nodiscard]] std::vector<early_leave> early_leaves(const function& opened, const taint& ranks);

}  // namespace deed::check
