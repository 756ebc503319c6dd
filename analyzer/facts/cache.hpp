// SPDX-License-Identifier: MIT
#pragma once

#include "facts/parse.hpp"

#include <optional>
#include <string>

/// @file
/// The facts of units that have not changed, in a folder: one file per unit and command.

namespace deed::check {

/// As bytes, with the sizes and times of all files that were read.
[[nodiscard]] std::string packed(const unit_facts& facts);
/// Nothing if the bytes are not what `packed` made.
[[nodiscard]] std::optional<unit_facts> unpacked(const std::string& bytes);

class facts_cache {
 public:
  /// An empty folder: nothing is kept.
  explicit facts_cache(std::string folder);

  /// Why nothing can be kept there; makes the folder. Empty if something can, or nothing is asked.
  [[nodiscard]] std::string why_closed() const;
  /// The facts of a unit, if none of its files and not the tool itself has changed since.
  [[nodiscard]] std::optional<unit_facts> find(const std::string& unit_and_command) const;
  /// A unit that could not be analysed is not kept. What cannot be written is not an error.
  void keep(const std::string& unit_and_command, const unit_facts& facts) const;

 private:
  [[nodiscard]] std::string file_of(const std::string& unit_and_command) const;
  std::string folder_;
};

}  // namespace deed::check
