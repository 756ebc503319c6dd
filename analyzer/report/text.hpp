// SPDX-License-Identifier: MIT
#pragma once

#include "flow/source.hpp"
#include "report/diagnostic.hpp"

#include <map>
#include <string>
#include <vector>

namespace deed::check {

/// The lines of the files that findings point into, read once each.
class source_lines {
 public:
  /// Without the line break; empty past the end.
  [[nodiscard]] const std::string& line(const std::string& file, std::uint32_t number);
  [[nodiscard]] std::uint32_t count(const std::string& file);
  /// All of them, each with a break behind it.
  [[nodiscard]] std::string text(const std::string& file);

 private:
  const std::vector<std::string>& all(const std::string& file);
  std::map<std::string, std::vector<std::string>> files_;
};

struct text_options {
  bool colours = false;
  bool short_form = false;  // file:line:column: error: …, one line each
  bool base_names = false;  // no folders in file names, for tests
};

/// One finding as a person reads it: headline, place, the lines with labels under them, notes,
/// help.
[[nodiscard]] std::string as_text(const diagnostic& d, const file_table& files, source_lines& lines,
                                  const text_options& how);

}  // namespace deed::check
