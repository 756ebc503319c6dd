// SPDX-License-Identifier: MIT
#include "report/fingerprint.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace deed::check {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// `/home/heat.cpp:12:3`
bool is_place(std::string_view text) {
  const std::size_t column = text.rfind(':');
  const std::size_t line =
      column == text.npos || column == 0 ? text.npos : text.rfind(':', column - 1);
  return line != text.npos && is_number(text.substr(column + 1)) &&
         is_number(text.substr(line + 1, column - line - 1));
}

/// A USR without places: those of lambdas and local functions have some, which move.
std::string without_places(std::string_view usr) {
  std::string kept;
  while (!usr.empty()) {
    const std::string_view part = usr.substr(0, usr.find('@'));
    usr.remove_prefix(std::min(part.size() + 1, usr.size()));
    if (!is_number(part) && !is_place(part)) kept.append(part).push_back('@');
  }
  return kept;
}

/// What a finding is told by; the same for two of one statement.
std::string words_of(const diagnostic& d, const file_table& files, source_lines& lines) {
  std::string text = code_name(d.code) + "\n" + without_places(d.function) + "\n";
  for (const char c : lines.line(files.name(d.primary.at.file), d.primary.at.line)) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) text += c;
  }
  return text;
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo).
std::string hashed(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[(hash >> shift) & 15];
  return digits;
}

}  // namespace

void give_fingerprints(std::vector<diagnostic>& found, const file_table& files,
                       source_lines& lines) {
  std::map<std::string, int> equal;
  for (diagnostic& d : found) {
    if (!d.fingerprint.empty()) continue;
    const std::string text = words_of(d, files, lines);
    const int before = equal[text]++;
    d.fingerprint = hashed(before == 0 ? text : text + "\n" + std::to_string(before));
  }
}

}  // namespace deed::check
