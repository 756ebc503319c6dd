// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"
#include "analysis/model.hpp"

#include <string>
#include <string_view>
#include <vector>

/// @file
/// Findings of the ownership checker for the tools that show those of static checkers.

namespace deed::viewer {

/// As a log; a finding is where its datum was registered, as far as that is recorded.
/// `version`: of the tool.
///
/// Source: Static Analysis Results Interchange Format (SARIF) 2.1.0, OASIS 2020.
[[nodiscard]] std::string as_sarif(const model& of, const std::vector<finding>& found,
                                   std::string_view version);

}  // namespace deed::viewer
