// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/clock/clock_fit.hpp"

#include <vector>

/// @file
/// Clocks of ranks, from the messages between them: none is received before it was sent.

namespace deed::viewer {

/// For each pair of ranks the fastest message in each direction bounds the difference of their
/// clocks; its error is half of what the two took together. A drift is told where the two halves of
/// the run differ by more than their errors. Counts messages, and those that are early, in `into`.
/// Cost: O(transfers + pairs log pairs).
[[nodiscard]] std::vector<clock_edge> message_edges(const model& of, clock_fit& into);

}  // namespace deed::viewer
