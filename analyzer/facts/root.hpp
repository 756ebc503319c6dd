// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

/// @file
/// The folder in which findings are reported.

namespace deed::check {

/// Where a project lies whose `units` are built in `build_folder`, if nobody says: the current
/// folder if it holds a unit, else the nearest folder above the build folder that does, else the
/// one that all units have in common. Units in the build folder are made by the build: they count
/// only where there are no others. Empty if there are no units.
[[nodiscard]] std::string likely_root(const std::string& build_folder,
                                      const std::vector<std::string>& units);

/// The folder without links, or as it is if there is none.
[[nodiscard]] std::string real_folder(const std::string& folder);

/// Whether a file lies in a folder or in one below it. Both as `real_folder` gives them.
[[nodiscard]] bool lies_in(const std::string& file, const std::string& folder);

}  // namespace deed::check
