// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// Words that people write or read: lists of them, and how far one is from another.

namespace deed {

/// What stands between commas, in order: of "a,,b" the second is empty; of "" there is one, empty.
/// Keeps: they are parts of `list`.
[[nodiscard]] inline std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words;
  for (std::size_t comma = 0; comma != list.npos;) {
    comma = list.find(',');
    words.push_back(list.substr(0, comma));
    if (comma != list.npos) list.remove_prefix(comma + 1);
  }
  return words;
}

/// "2, 0" of a set of ranks; of many, the first eight and how many more.
[[nodiscard]] inline std::string ranks_text(const std::vector<int>& ranks) {
  constexpr std::size_t shown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(ranks.size(), shown); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  if (ranks.size() > shown) text += " and " + std::to_string(ranks.size() - shown) + " more";
  return text;
}

/// How many letters are put in, left out or changed on the way from one word to the other.
/// Cost: the product of their lengths.
[[nodiscard]] inline std::size_t edit_distance(std::string_view one, std::string_view two) {
  std::vector<std::size_t> row(two.size() + 1);
  for (std::size_t j = 0; j <= two.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= two.size(); ++j) {
      const std::size_t changed = corner + (one[i - 1] != two[j - 1]);
      corner = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row.back();
}

}  // namespace deed
