// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/clock/clock_fit.hpp"

#include <vector>

/// @file
/// Clocks of ranks, from what they measured of each other and from the counters they share.

namespace deed::viewer {

/// Of each pair that compared its clocks, the fastest round trip of each measurement bounds the
/// difference; its error is half of it. Where there are several measurements, a line through the
/// first and the last one. Ranks of one machine read one counter, which is translated alike: what
/// is between them, mostly nothing, is known exactly. Cost: one look at the kind of each event.
[[nodiscard]] std::vector<clock_edge> measured_edges(const run& of);
/// Whether ranks compared their clocks.
[[nodiscard]] bool measured_clocks(const run& of);

}  // namespace deed::viewer
