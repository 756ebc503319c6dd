// SPDX-License-Identifier: MIT
#pragma once

#include "report/diagnostic.hpp"
#include "report/text.hpp"

#include <string>

namespace deed::check {

/// A number for a finding that stays when lines move: of the code, the function, and the statement
/// without its blanks.
[[nodiscard]] std::string fingerprint(const diagnostic& d, const file_table& files,
                                      source_lines& lines);

}  // namespace deed::check
