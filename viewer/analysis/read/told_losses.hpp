// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/metadata.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// @file
/// What the metadata of a rank say of events that found no packet.

namespace deed::viewer {

struct told_losses {
  std::uint64_t unplaced = 0;         ///< Of streams that never had a packet, which counts its own.
  std::optional<std::int64_t> since;  ///< When the first was lost, since the Unix epoch.
  /// Some were, and the recorder did not come to count them: it was killed, or still records.
  bool not_closed = false;
};
/// Nothing of a slice that ends before the first.
[[nodiscard]] told_losses told_losses_in(const trace_layout& rank);

/// "12 events found no packet, from 3 ms on"; `since` in the time of the run. None counted: a
/// recorder that was killed could not. Empty where nothing was lost.
[[nodiscard]] std::string say_losses(std::uint64_t counted, std::optional<std::int64_t> since);

}  // namespace deed::viewer
