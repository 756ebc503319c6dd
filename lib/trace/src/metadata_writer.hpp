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

/// What a reader has to know of a rank's files beside how they are laid out.
struct recorded_how {
  std::string live;              ///< The folder in memory of what is not in the run's folder yet.
  bool is_ring = false;          ///< The first packets of a stream may be gone.
  std::uint32_t categories = 0;  ///< What was recorded: bits of `category`.
};
[[nodiscard]] std::string metadata(const run_identity& run, const clock_description& clock,
                                   const recorded_how& how);

}  // namespace deed::trace::detail
