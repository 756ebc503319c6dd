// SPDX-License-Identifier: MIT
#pragma once

#include <string>

/// @file
/// Two texts, as `patch` reads how they differ.

namespace deed::check {

/// The fewest lines that go and come, with three lines around them; empty if the texts are equal.
/// Cost: O(lines + differing lines squared).
///
/// Source: E. W. Myers, "An O(ND) difference algorithm and its variations", Algorithmica 1 (1986).
[[nodiscard]] std::string unified_diff(const std::string& file, const std::string& before,
                                       const std::string& after);

}  // namespace deed::check
