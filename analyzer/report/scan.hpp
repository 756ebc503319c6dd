// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// @file
/// A source file as text: what is code, what is a comment, and where statements begin and end.
/// Places are offsets from 0. Clang is not asked: a file may be one that it was not given.

namespace deed::check {

struct comment {
  std::size_t from = 0, to = 0;  // with its slashes
  std::string text;              // without them, and without blanks around it
};

struct scanned_source {
  std::string text;
  std::string code;  // as long: comments, directives and what stands in literals are blanks
  std::vector<comment> comments;
  std::vector<std::size_t> lines;  // where each begins

  /// From 1.
  [[nodiscard]] std::uint32_t line_of(std::size_t place) const;
  [[nodiscard]] std::uint32_t column_of(std::size_t place) const;
  /// The last that is no blank in front of a place; `npos` if there is none.
  [[nodiscard]] std::size_t code_before(std::size_t place) const;

  /// Where the statement begins that `place` stands in, or behind.
  [[nodiscard]] std::size_t statement_start(std::size_t place) const;
  /// Behind the semicolon of the statement at or behind a place, or in front of the block that
  /// it is the head of.
  [[nodiscard]] std::size_t statement_end(std::size_t place) const;
  /// Behind the semicolon or the body of the declaration at or behind a place.
  [[nodiscard]] std::size_t declaration_end(std::size_t place) const;
};

[[nodiscard]] scanned_source scan(std::string text);

}  // namespace deed::check
