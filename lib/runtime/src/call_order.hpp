// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// @file
/// The collective calls that ranks made one after another, and the first in which they differ.

namespace deed::runtime {

/// Which ranks call together. A rank may have another group of that number than a second one.
struct group_name {
  std::uint32_t number = 0;
  std::vector<int> members{};  ///< In their order; none: all ranks, or a group that is not known.
  friend bool operator==(const group_name&, const group_name&) = default;
};

struct known_call {
  std::uint64_t is = 0;      ///< Which call: its kind and its root.
  std::uint64_t type = 0;    ///< A hash of what its parts consist of.
  std::string of{};          ///< "double", the type of a part.
  std::uint64_t before = 0;  ///< Equal on two ranks only if all calls before it are.
  std::string where{};       ///< "x.cpp:7".
};

/// The collective calls that a rank has made with a group.
struct calls_made {
  group_name with;
  std::uint64_t count = 0;
  std::vector<known_call> known{};  ///< The newest, the last of them at the end.

  [[nodiscard]] std::uint64_t first_known() const noexcept { return count - known.size(); }
  /// Null: it was not made, or is too long ago.
  [[nodiscard]] const known_call* call(std::uint64_t number) const noexcept {
    if (number < first_known() || number >= count) return nullptr;
    return &known[static_cast<std::size_t>(number - first_known())];
  }
};

/// How many of its newest calls a rank tells: rank 0 has to hold those of all.
[[nodiscard]] constexpr std::size_t calls_told(int ranks) noexcept {
  constexpr std::size_t of_all = 65536, fewest = 16, most = 512;
  return std::clamp(of_all / static_cast<std::size_t>(ranks), fewest, most);
}

struct calls_of_rank {
  int rank = 0;
  const calls_made* made = nullptr;
};

/// The first call of a group that is not the same on all ranks.
struct other_call {
  std::uint64_t number = 0;
  bool first = true;           ///< Else calls before it differ, too, and are not known any more.
  calls_of_rank usual, other;  ///< One of most ranks, and one that calls something else.
  /// Where the call is that `other` seems to have left out, or to have made alone.
  std::optional<std::string> lacks{}, adds{};
};

/// Nothing: all are alike, as far as they are known.
[[nodiscard]] std::optional<other_call> first_other_call(const std::vector<calls_of_rank>& all);

/// Where the call of `all` is without which it is `few`, line by line, as far as both are known.
/// Nothing: there is no such call.
[[nodiscard]] std::optional<std::string> left_out(const calls_made& all, const calls_made& few);

}  // namespace deed::runtime
