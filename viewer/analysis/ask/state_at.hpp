// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstdint>
#include <vector>

/// @file
/// Who owns and holds a datum at a moment: a function of the time, not of what was played before.

namespace deed::viewer {

/// The copy of a datum on one rank.
enum class copy_kind : std::uint8_t { absent, stale, pending, shared, owner };

struct copy_at {
  copy_kind kind = copy_kind::absent;
  std::uint32_t version = 0;
};

struct live_borrow {
  int rank = 0;
  std::uint8_t kind = 0;
  std::uint64_t holder = 0;
  std::uint32_t loc = none;
  std::int64_t since = 0;
};

struct datum_state {
  std::uint32_t owner = none;  ///< `none`: before its registration, or per rank.
  std::uint32_t version = 0;
  std::uint32_t writer = none;  ///< The task that wrote it; `none`: nobody that was recorded.
  std::vector<copy_at> copies;  ///< By rank.
  std::vector<std::uint32_t> in_flight;  ///< Transfers.
  std::vector<live_borrow> borrows;
};

/// Cost: O(events of this handle).
[[nodiscard]] datum_state state_at(const model& of, std::uint32_t handle, std::int64_t when);

}  // namespace deed::viewer
