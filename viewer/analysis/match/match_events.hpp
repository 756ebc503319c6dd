// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

/// @file
/// Tasks and transfers from the events of all ranks.

namespace deed::viewer {

/// What records that belong together say of one thing. Tasks and transfers are in the order in
/// which events first named them.
struct matched_events {
  std::vector<task> tasks;
  unset_vector<access> accesses;   ///< By task.
  std::vector<state_span> states;  ///< By lane, then time.
  std::vector<wait_span> waits;    ///< By lane, then time.
  std::vector<phase_span> phases;  ///< By lane, then time.
  std::vector<value_series> values;
  std::vector<transfer> transfers;
  std::vector<std::uint32_t> failures;  ///< Errors and signals.
  std::vector<std::uint32_t> stops;     ///< Of the run, on purpose.
};

/// `known_until`: until when it is known what a rank did. `piece`: so many events are read at once.
/// Cost: a look at each event, and at the fields of most, on a few threads.
[[nodiscard]] matched_events match_events(const run& of, const codelet_numbers& codelets,
                                          const std::function<std::int64_t(int)>& known_until,
                                          std::size_t piece = std::size_t{1} << 18);

}  // namespace deed::viewer
