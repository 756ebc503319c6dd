// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

/// @file
/// Where something stands in the program that is checked.

namespace deed::check {

/// A piece of a source file, `[column, end_column)`, counted from 1 in bytes. Line 0: nowhere.
struct span {
  std::uint32_t file = 0;
  std::uint32_t line = 0, column = 0;
  std::uint32_t end_line = 0, end_column = 0;

  [[nodiscard]] bool known() const { return line != 0; }
  friend auto operator<=>(const span&, const span&) = default;
};

/// The files of a run, by number.
class file_table {
 public:
  std::uint32_t add(const std::string& name) {
    for (std::uint32_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return i;
    }
    names_.push_back(name);
    return static_cast<std::uint32_t>(names_.size() - 1);
  }
  [[nodiscard]] const std::string& name(std::uint32_t file) const { return names_[file]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
};

}  // namespace deed::check
