// SPDX-License-Identifier: MIT
#include "report/fingerprint.hpp"

#include <cctype>
#include <cstdint>

namespace deed::check {

std::string fingerprint(const diagnostic& d, const file_table& files, source_lines& lines) {
  // A local function has its place in its USR; without it the number survives moved lines.
  std::string text =
      code_name(d.code) + "\n" + d.function.substr(0, d.function.find('@', 2)) + "\n";
  for (const char c : lines.line(files.name(d.primary.at.file), d.primary.at.line)) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) text += c;
  }
  // FNV-1a, 64 bits (Fowler, Noll, Vo).
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[(hash >> shift) & 15];
  return digits;
}

}  // namespace deed::check
