// SPDX-License-Identifier: MIT
#include "report/scan.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace deed::check {
namespace {

constexpr std::size_t npos = std::string::npos;

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

class scanner {
 public:
  explicit scanner(scanned_source& into) : text_(into.text), into_(into) {}

  void run() {
    into_.code = text_;
    into_.lines.push_back(0);
    while (at_ < text_.size()) step();
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '\n') into_.lines.push_back(i + 1);
    }
  }

 private:
  [[nodiscard]] bool starts(std::string_view word) const {
    return text_.compare(at_, word.size(), word) == 0;
  }
  void blank(std::size_t from, std::size_t to) {
    for (; from < to && from < text_.size(); ++from) {
      if (text_[from] != '\n') into_.code[from] = ' ';
    }
  }
  [[nodiscard]] std::size_t end_of(std::string_view closing, std::size_t from) const {
    const std::size_t found = text_.find(closing, from);
    return found == npos ? text_.size() : found + closing.size();
  }
  /// A backslash in front of the break carries it on.
  [[nodiscard]] std::size_t end_of_line(std::size_t from) const {
    while (from < text_.size() && (text_[from] != '\n' || text_[from - 1] == '\\')) ++from;
    return from;
  }

  void step() {
    const char c = text_[at_];
    if (starts("//")) return take_comment(end_of_line(at_ + 2), 0);
    if (starts("/*")) return take_comment(end_of("*/", at_ + 2), 2);
    if (c == '#' && first_of_line_) return skip(end_of_line(at_ + 1));
    if (c == '"')
      return skip_literal(at_ > 0 && text_[at_ - 1] == 'R' ? end_of_raw() : end_of_quoted());
    if (c == '\'' && !in_number()) return skip_literal(end_of_quoted());
    if (c == '\n')
      first_of_line_ = true;
    else if (c != ' ' && c != '\t')
      first_of_line_ = false;
    ++at_;
  }
  void take_comment(std::size_t end, std::size_t closing) {
    std::string_view inside = std::string_view(text_).substr(at_ + 2, end - at_ - 2);
    inside.remove_suffix(std::min(closing, inside.size()));
    inside.remove_prefix(std::min(inside.find_first_not_of("/*!"), inside.size()));
    into_.comments.push_back({at_, end, trimmed(inside)});
    skip(end);
  }
  void skip(std::size_t end) {
    blank(at_, end);
    at_ = end;
  }
  /// Its quotes stay: there is something.
  void skip_literal(std::size_t end) {
    first_of_line_ = false;
    blank(at_ + 1, end - 1);
    at_ = end;
  }
  [[nodiscard]] std::size_t end_of_quoted() const {
    for (std::size_t i = at_ + 1; i < text_.size() && text_[i] != '\n'; ++i) {
      if (text_[i] == text_[at_]) return i + 1;
      if (text_[i] == '\\') ++i;
    }
    return at_ + 1;  // An apostrophe of prose, as in `#error`.
  }
  [[nodiscard]] std::size_t end_of_raw() const {
    const std::size_t open = text_.find('(', at_);
    if (open == npos) return text_.size();
    return end_of(")" + text_.substr(at_ + 1, open - at_ - 1) + "\"", open);
  }
  /// The mark between digits, as in 1'000.
  [[nodiscard]] bool in_number() const {
    std::size_t begin = at_;
    while (begin > 0 && (in_name(text_[begin - 1]) || text_[begin - 1] == '\'')) --begin;
    return begin < at_ && std::isdigit(static_cast<unsigned char>(text_[begin])) != 0;
  }

  const std::string& text_;
  scanned_source& into_;
  std::size_t at_ = 0;
  bool first_of_line_ = true;
};

bool is_one_of(char c, std::string_view all) { return all.find(c) != npos; }

std::size_t next_code(const std::string& code, std::size_t from) {
  const std::size_t found = code.find_first_not_of(" \t\r\n", from);
  return found == npos ? code.size() : found;
}

/// Whether a brace that closes in front of `after` ends a block, not a value as in `f(T{1}, 2)`.
bool closes_block(const std::string& code, std::size_t after) {
  const std::size_t next = next_code(code, after);
  if (next == code.size()) return true;
  return !is_one_of(code[next], ",).;]}?:") && code.compare(next, 2, "->") != 0;
}

/// Whether a brace opens a block, not a value.
bool opens_block(const scanned_source& s, std::size_t brace) {
  const std::size_t last = s.code_before(brace);
  if (last == npos || is_one_of(s.code[last], ");{}")) return true;
  std::size_t begin = last + 1;
  while (begin > 0 && in_name(s.code[begin - 1])) --begin;
  const std::string_view word = std::string_view(s.code).substr(begin, last + 1 - begin);
  return word == "else" || word == "do" || word == "try";
}

}  // namespace

std::uint32_t scanned_source::line_of(std::size_t place) const {
  return static_cast<std::uint32_t>(std::ranges::upper_bound(lines, place) - lines.begin());
}

std::uint32_t scanned_source::column_of(std::size_t place) const {
  return static_cast<std::uint32_t>(place - lines[line_of(place) - 1] + 1);
}

std::size_t scanned_source::code_before(std::size_t place) const {
  return place == 0 ? npos : code.find_last_not_of(" \t\r\n", place - 1);
}

std::size_t scanned_source::statement_start(std::size_t place) const {
  std::size_t i = code_before(place);
  if (i == npos) return next_code(code, 0);
  if (!is_one_of(code[i], ";{")) ++i;  // Its own end is not that of the one before.
  int depth = 0;                       // Negative inside of what opens in the statement.
  for (; i > 0; --i) {
    const char c = code[i - 1];
    if (depth <= 0 && c == ';') break;
    if (depth <= 0 && c == '{' && opens_block(*this, i - 1)) break;
    if (depth <= 0 && c == '}' && closes_block(code, i)) break;
    if (is_one_of(c, ")]}")) ++depth;
    if (is_one_of(c, "([{")) --depth;
  }
  return next_code(code, i);
}

std::size_t scanned_source::statement_end(std::size_t place) const {
  int depth = 0;
  for (std::size_t i = next_code(code, place); i < code.size(); ++i) {
    const char c = code[i];
    if (depth <= 0 && c == '{' && opens_block(*this, i)) return i;
    if (depth <= 0 && c == '}' && closes_block(code, i + 1)) return i;
    if (is_one_of(c, "([{")) ++depth;
    if (is_one_of(c, ")]}")) --depth;
    if (c == ';' && depth <= 0) return i + 1;
  }
  return code.size();
}

std::size_t scanned_source::declaration_end(std::size_t place) const {
  int depth = 0;
  for (std::size_t i = place; i < code.size(); ++i) {
    const char c = code[i];
    if (is_one_of(c, "([{")) ++depth;
    if (is_one_of(c, ")]}") && --depth < 0) return i;
    if (depth > 0) continue;
    if (c == ';') return i + 1;
    // The braces of a member that a constructor initialises are followed by the next, or the body.
    const std::size_t next = next_code(code, i + 1);
    if (c == '}' && (next == code.size() || !is_one_of(code[next], ",{;"))) return i + 1;
  }
  return code.size();
}

scanned_source scan(std::string text) {
  scanned_source result;
  result.text = std::move(text);
  scanner(result).run();
  return result;
}

}  // namespace deed::check
