// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// @file
/// Breakpoints over the state of a run: when a condition begins to hold.
///
/// condition = and ('|' and)*; and = term+. Of a datum, all of one: `handle:A[3,*]`, `owner:2`,
/// `valid:0,3-5` (a rank owns it or has a current copy), `stale:2`, `pending:2`, `lent:2`, `ver:4`,
/// `ver>4`, `moves` (its owner changes, also away and back at one moment; a migration to the rank
/// that owns it changes nothing and is not recorded). Of a rank's memory: `rank:2 held>4GB`. Lists
/// and globs as in queries.

namespace deed::viewer {

struct moment {
  std::int64_t time = 0;
  std::uint32_t handle = none;  ///< `none`: the condition is about a rank.
  std::string sentence;
};

/// The moments at which the condition becomes true, in time order; `moves`, at each change.
/// @throws query_error if it cannot be read.
/// Cost: O(events of the data that the pattern names); with `held`, of all data.
[[nodiscard]] std::vector<moment> moments_when(const model& of, const std::string& condition);

}  // namespace deed::viewer
