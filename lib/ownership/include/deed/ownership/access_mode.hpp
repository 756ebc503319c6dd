// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

/// @file
/// What a task may do with a datum.

namespace deed {

enum class access_mode : std::uint8_t {
  read,        ///< Reads the current version.
  write,       ///< Overwrites the whole datum; the old value is not brought.
  read_write,  ///< Reads the current version and makes the next.
  commute,     ///< As read_write, in any order among tasks that commute.
  reduce,      ///< Contributes: sees neither the version nor what others contribute.
};

[[nodiscard]] constexpr bool reads(access_mode mode) noexcept {
  return mode != access_mode::write && mode != access_mode::reduce;
}
[[nodiscard]] constexpr bool writes(access_mode mode) noexcept {
  return mode != access_mode::read && mode != access_mode::reduce;
}

/// "read_write", as the user wrote it.
[[nodiscard]] constexpr std::string_view to_string(access_mode mode) noexcept {
  switch (mode) {
    case access_mode::read:
      return "read";
    case access_mode::write:
      return "write";
    case access_mode::read_write:
      return "read_write";
    case access_mode::commute:
      return "commute";
    case access_mode::reduce:
      return "reduce";
  }
  return "unknown";
}

}  // namespace deed
