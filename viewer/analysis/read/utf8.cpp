// SPDX-License-Identifier: MIT
#include "analysis/read/utf8.hpp"

#include <algorithm>
#include <cstddef>

namespace deed::viewer {
namespace {

/// Bytes of the character that `text` begins with; 0 if it begins with none.
std::size_t bytes_of_character(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = at(0);
  std::size_t bytes = 0;
  if (first < 0x80) bytes = 1;
  if (first >= 0xc2 && first < 0xe0) bytes = 2;
  if (first >= 0xe0 && first < 0xf0) bytes = 3;
  if (first >= 0xf0 && first < 0xf5) bytes = 4;
  if (bytes < 2 || bytes > text.size()) return bytes == 1 ? 1 : 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((at(i) & 0xc0u) != 0x80) return 0;
  // Longer than it needs to be, half of a pair of UTF-16, and beyond the last character.
  const unsigned second = at(1);
  const bool none = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                    (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
  return none ? 0 : bytes;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  const auto plain = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, plain)) return std::string(text);
  std::string valid;
  while (!text.empty()) {
    const std::size_t bytes = bytes_of_character(text);
    if (bytes == 0) {
      valid += "\xef\xbf\xbd";
    } else {
      valid += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return valid;
}

}  // namespace deed::viewer
