// SPDX-License-Identifier: MIT
#pragma once

#include "report/diagnostic.hpp"
#include "report/text.hpp"

#include <string>
#include <vector>

namespace deed::check {

/// What the tool says of a code, for the rules of a SARIF log.
struct rule_text {
  int code = 0;
  std::string title, explanation;
};

/// What was found, as one SARIF 2.1.0 log. GitHub shows 5 000 results of a run and 100 locations
/// of a result; more are left out.
[[nodiscard]] std::string as_sarif(const std::vector<diagnostic>& found,
                                   const std::vector<rule_text>& rules, const file_table& files,
                                   source_lines& lines, bool complete);

/// One JSON object on one line.
[[nodiscard]] std::string as_json_line(const diagnostic& d, const file_table& files,
                                       source_lines& lines);

}  // namespace deed::check
