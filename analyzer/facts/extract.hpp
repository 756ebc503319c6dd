// SPDX-License-Identifier: MIT
#pragma once

#include "flow/function.hpp"

#include <string>
#include <vector>

/// @file
/// From source files to a program of events. The one door to Clang.

namespace deed::check {

/// What to analyse, and how it is compiled.
struct compilation {
  std::string build_folder;        // where compile_commands.json is; empty: `flags` for all
  std::vector<std::string> flags;  // after `--`
  std::vector<std::string> files;  // empty: all of the compilation database
  std::vector<std::string> added;  // put at the end of every command
  std::string root;                // findings outside this folder are not reported
  std::string cache;               // the folder of facts from runs before; empty: none
  int processes = 1;               // that analyse units at the same time
};

struct extraction {
  int units = 0;                      // analysed
  int without_deed = 0;               // of them, those that never include deed
  int without_graph = 0;              // functions of which Clang made no graph
  bool whole = true;                  // every unit that the database names was analysed
  std::vector<std::string> warnings;  // what went on without what was asked for
  std::vector<std::string> failures;  // one line per unit that could not be analysed
  std::vector<std::string> faults;    // words that this tool does not know
  std::string unusable;               // why nothing could be read at all
};

[[nodiscard]] extraction extract(const compilation& what, program& into);

}  // namespace deed::check
