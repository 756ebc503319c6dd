// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

/// @file
/// Other programs that deed-trace uses. Arguments go as a list, never through a shell.

namespace deed::viewer {

/// Runs a program to its end, with the environment of this one. Its exit status; 127 if it cannot
/// be started, 128 + N if signal N ended it.
[[nodiscard]] int run_program(const std::vector<std::string>& words);
/// What `from` writes is what `to` reads. 0 if both end with 0, else the status of the one that
/// does not.
[[nodiscard]] int run_pipe(const std::vector<std::string>& from,
                           const std::vector<std::string>& to);
/// A program of this name beside deed-trace; empty if there is none.
[[nodiscard]] std::string program_beside(const std::string& name);

}  // namespace deed::viewer
