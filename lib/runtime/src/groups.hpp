// SPDX-License-Identifier: MIT
#pragma once

#include "submission_log.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// @file
/// The state behind a `group`.

namespace deed::runtime {

class core;

/// Kept by the session until it ends: messages name it.
struct group_state {
  core* home;
  std::uint32_t number;        // Of the group in the session; 0 is the session itself.
  std::vector<int> ranks;      // Of the members, in the session.
  int self = -1;               // This rank in the group.
  calls_so_far collectives{};  // Begun.
  /// Of a communicator: who knows of the group. Others see another one of that number, or none.
  std::optional<std::vector<int>> known_to{};
};

}  // namespace deed::runtime
