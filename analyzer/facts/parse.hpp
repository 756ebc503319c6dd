// SPDX-License-Identifier: MIT
#pragma once

#include "facts/extract.hpp"
#include <clang/Tooling/CompilationDatabase.h>

#include <string>
#include <vector>

namespace deed::check {

/// What one unit gives, without a pointer into anything: it goes through pipes and into files.
struct unit_facts {
  std::string bytes;                  // see flow/store.hpp
  std::vector<std::string> failures;  // why it could not be analysed
  std::vector<std::string> faults;    // words that this tool does not know
  std::vector<std::string> files;     // all that were read
  bool without_deed = false;
  int without_graph = 0;  // functions of which Clang made no graph
};

/// Runs Clang over one unit.
[[nodiscard]] unit_facts parse(const clang::tooling::CompilationDatabase& commands,
                               const std::string& file, const compilation& what);

}  // namespace deed::check
