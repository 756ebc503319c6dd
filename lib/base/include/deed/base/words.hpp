// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

/// @file
/// Lists in settings.

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

}  // namespace deed
