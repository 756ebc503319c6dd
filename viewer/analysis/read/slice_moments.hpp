// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

/// @file
/// What the metadata of a slice say of its place in the run that it was cut from.

namespace deed::viewer {

/// All since the Unix epoch; none: the metadata do not say it.
struct slice_moments {
  std::optional<std::int64_t> from, to;
  std::optional<std::int64_t> origin;  ///< Where the times of the run count from.
  bool left_open = false;  ///< It has all of its rank, which did not close its recording.
  bool goes_on = false;    ///< Its rank recorded more than it has.
  bool has_gaps = false;   ///< Of its rank events were missing already.
};
[[nodiscard]] slice_moments slice_moments_in(const std::map<std::string, std::string>& environment);

/// Where times count from: the first event, and of a slice the origin of its run, which a rank that
/// is not in it may have had.
[[nodiscard]] std::int64_t origin_of(std::int64_t first, std::span<const slice_moments> ranks);

/// Where a run ends: with its last event, and a slice where it was cut. Its definitions are whole,
/// so that some are of later.
[[nodiscard]] std::int64_t end_of(std::int64_t last, std::span<const slice_moments> ranks);

}  // namespace deed::viewer
