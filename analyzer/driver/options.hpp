// SPDX-License-Identifier: MIT
#pragma once

#include "facts/extract.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace deed::check {

enum class output_format { text, short_text, sarif, json_lines };

struct place_in_file {
  std::string file;
  std::uint32_t line = 0;
};

/// What the command line asks for.
struct options {
  compilation what;
  output_format format = output_format::text;
  std::string output;   // a file; empty: standard output
  std::string explain;  // "D306"
  std::string baseline, write_baseline;
  bool strict = false;
  bool fail_on_warning = false;
  bool list_checks = false, help = false, version = false;
  bool fix = false, fix_dry_run = false;  // change the files; show how
  bool stats = false, print_facts = false, base_names = false;
  std::optional<place_in_file> why_not;  // what is left out there
  std::optional<bool> colours;           // not said: where the output is a terminal
};

/// Reads the command line. On a mistake `error` says what is wrong, and what to do.
[[nodiscard]] options parse_options(const std::vector<std::string>& arguments, std::string& error);

extern const char* const usage;

}  // namespace deed::check
