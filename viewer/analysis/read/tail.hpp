// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

/// @file
/// Where a rank that wrote in shared memory left what it had not copied.

namespace deed::viewer {

/// The folder that a rank's metadata names, under `root`; empty if it names none, or none of
/// deed's. It may be gone: then everything was copied.
[[nodiscard]] std::string tail_of(const std::map<std::string, std::string>& environment,
                                  const std::string& root = "");

/// Files in `tail` that the folder of the rank has not got.
[[nodiscard]] std::vector<std::filesystem::path> left_in(const std::string& tail,
                                                         const std::filesystem::path& folder);

}  // namespace deed::viewer
