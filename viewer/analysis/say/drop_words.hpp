// SPDX-License-Identifier: MIT
#pragma once

#include <array>

/// @file
/// Why a copy was dropped, in words.

namespace deed::viewer {

struct drop_words {
  const char* name;     ///< In queries and columns for programs.
  const char* why;      ///< In a sentence: "a flush call at main.cpp:88".
  const char* heading;  ///< Of a column that counts them.
};

/// By number: the enumerators of `trace::drop_cause`.
inline constexpr std::array<drop_words, 6> words_of_drops{{
    {"invalidated_by_write", "a write", "by a write"},
    {"flush_call", "a flush call", "flush"},
    {"capacity", "want of room", "capacity"},
    {"migrate", "migration", "migration"},
    {"shutdown", "shutdown", "shutdown"},
    {"cache_off", "`cache=0` or `set_cache(false)`", "cache off"},
}};

}  // namespace deed::viewer
