// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

/// @file
/// Names of a run are bytes of whatever encoding its source had; formats of others take UTF-8 only.

namespace deed::viewer {

/// `text` with U+FFFD in place of each byte that is no part of a character.
///
/// Source: the Unicode Standard 15, table 3-7.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace deed::viewer
