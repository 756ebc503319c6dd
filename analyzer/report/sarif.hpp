// SPDX-License-Identifier: MIT
#pragma once

#include "report/diagnostic.hpp"
#include "report/text.hpp"

#include <string>
#include <vector>

namespace deed::check {

/// What a log says of the tool itself.
struct tool_text {
  std::string version;
  std::string address;  // of the documentation, "https://…"; empty: it has none
  std::vector<rule_text> rules;
};

/// What was found, as one SARIF 2.1.0 log. GitHub shows 5 000 results of a run and 100 locations
/// of a result; more are left out.
[[nodiscard]] std::string as_sarif(const std::vector<diagnostic>& found, const tool_text& tool,
                                   const file_table& files, source_lines& lines, bool complete);

/// One JSON object on one line.
[[nodiscard]] std::string as_json_line(const diagnostic& d, const file_table& files,
                                       source_lines& lines);

}  // namespace deed::check
