// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/say/units.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// @file
/// What an analysis says: sentences and tables, the same for people, programs and the window.

namespace deed::viewer {

struct table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<cell>> rows;
  std::vector<std::string> links =
      {};                    ///< What each row is about: "task:12", "transfer:3"; or none.
  std::size_t left_out = 0;  ///< Rows at the end that nobody was going to see.
};

struct answer {
  std::vector<std::string> sentences;
  std::vector<table> tables;
  bool findings = false;  ///< Something is wrong with the recorded program: exit status 1.
  /// Where the first error that it tells happened, the innermost function first. A table says it,
  /// too.
  std::vector<std::string> backtrace = {};
};

/// `coloured`: the text, as a terminal shows it.
enum class style { text, coloured, json, csv };

[[nodiscard]] constexpr bool is_text(style how) {
  return how == style::text || how == style::coloured;
}

/// `text` as one cell of CSV: in quotes where it needs them.
///
/// Source: RFC 4180, section 2.
[[nodiscard]] std::string csv_text(const std::string& text);

/// The answer as one text. `incomplete` stands in JSON beside it; other styles leave it out. JSON
/// has the numbers of each table beside its words, and their units by column; CSV has the numbers
/// in place of the words, and the unit behind the name of the column: "time (ns)".
[[nodiscard]] std::string render(const answer& what, style how,
                                 const std::vector<std::string>& incomplete, std::size_t most_rows);

}  // namespace deed::viewer
