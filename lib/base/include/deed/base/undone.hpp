// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

/// @file
/// Operations that are left undone on purpose, one at a time, to see that the test of their row in
/// docs/from_starpu.md fails: in a build with `DEED_PLANTED_BUGS=ON`, for that alone. Without it
/// every `undone(…)` is a constant false, and nothing is left.

namespace deed {

#ifdef DEED_PLANTED_BUGS
/// The one that is. Set before the first session; a test build's only global.
inline std::string_view undone_now;
[[nodiscard]] inline bool undone(std::string_view operation) noexcept {
  return undone_now == operation;
}
#else
[[nodiscard]] constexpr bool undone(std::string_view) noexcept { return false; }
#endif

}  // namespace deed
