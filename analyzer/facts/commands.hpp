// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

/// @file
/// From the command that a build system wrote to one that Clang understands.

namespace deed::check {

/// Takes `ccache`, `distcc` and `env` off the front, asks `mpicxx` and its like once for what they
/// add, and drops flags that Clang does not know. `directory`: in which the command is given.
[[nodiscard]] std::vector<std::string> understandable(std::vector<std::string> command,
                                                      const std::string& directory);

/// Where Clang's own headers lie: next to the Clang library that is loaded. Empty if not there.
[[nodiscard]] std::string resource_directory();

}  // namespace deed::check
