// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/events.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// The members of a group of ranks, as one of them recorded them.

namespace deed::viewer {

struct recorded_group {
  std::uint32_t size = 0;
  std::uint32_t loc = trace::nothing;  ///< Where the rank made it.
  std::string text;                    ///< "0-6/2,9".
  std::vector<int> members;            ///< Ranks, in the order of the group.
  bool damaged = false;

  /// All records of it were read, and name ranks that there are, each once.
  [[nodiscard]] bool is_whole() const { return !damaged && size != 0 && members.size() == size; }
  /// More of its members: "0-6/2,9" stands for 0, 2, 4, 6 and 9. Of what damaged files have, none.
  void add(std::string_view more, int ranks);
};

}  // namespace deed::viewer
