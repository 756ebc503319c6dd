// SPDX-License-Identifier: MIT
#pragma once

#include "report/diagnostic.hpp"
#include "report/text.hpp"

#include <vector>

namespace deed::check {

/// Gives each a number that stays when lines move: of the code, the function, and the statement
/// without its blanks; where these are equal, of how many stand before it. Who has one keeps it.
void give_fingerprints(std::vector<diagnostic>& found, const file_table& files,
                       source_lines& lines);

}  // namespace deed::check
