// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/options.hpp>

#include "stamp.hpp"

#include <cstdint>
#include <string>

/// @file
/// The text that tells a reader how this rank's files are laid out.

namespace deed::trace::detail {

struct clock_description {
  std::uint64_t hertz = 1'000'000'000;
  std::int64_t offset_seconds = 0;  ///< Of stamp 0, since the Unix epoch.
  std::uint64_t offset_stamps = 0;  ///< The rest, in stamps.
  const char* kind = "virtual";
};

/// The clock of a run of which two moments are known; with a session's own clock, the virtual one.
[[nodiscard]] clock_description describe_clock(const stamp_source& source,
                                               const clock_anchor& first,
                                               const clock_anchor& second) noexcept;

/// `live` names the folder in memory that holds what is not in the run's folder yet; empty: none.
/// `is_ring`: the first packets of a stream may be gone.
[[nodiscard]] std::string metadata(const run_identity& run, const clock_description& clock,
                                   const std::string& live, bool is_ring);

}  // namespace deed::trace::detail
