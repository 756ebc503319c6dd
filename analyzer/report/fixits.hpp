// SPDX-License-Identifier: MIT
#pragma once

#include "report/diagnostic.hpp"
#include "report/text.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// @file
/// The edits of findings, applied: only those that a machine may apply, and none into another.

namespace deed::check {

struct changed_file {
  std::string before, after;
  int edits = 0;
};

/// An edit as it fits the text; nothing if it would do more than it says: behind an `if`, inside of
/// a macro, or before another use of what it ends.
[[nodiscard]] std::optional<edit> fitted(const edit& wanted, const std::string& file,
                                         source_lines& lines);

/// By name of the file. An edit that overlaps one already taken is left for the next run.
[[nodiscard]] std::map<std::string, changed_file> apply_edits(const std::vector<diagnostic>& found,
                                                              const file_table& files,
                                                              source_lines& lines);

}  // namespace deed::check
