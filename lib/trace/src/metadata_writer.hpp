// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/options.hpp>

#include "stamp.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
  std::uint64_t lost_from = 0;   ///< The stamp of the first event without a packet; 0: none.
  /// Events of streams that never had a packet to count them in; none: not counted yet.
  std::optional<std::uint64_t> unplaced;
};
[[nodiscard]] std::string metadata(const run_identity& run, const clock_description& clock,
                                   const recorded_how& how);

/// A number that is changed in the file, which must not grow: the disk may be full.
struct changed_number {
  std::array<char, 20> digits{};

  /// Async-signal-safe.
  explicit changed_number(std::uint64_t value) noexcept {
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, value /= 10)
      *digit = static_cast<char>('0' + value % 10);
  }
  [[nodiscard]] std::string_view text() const noexcept { return {digits.data(), digits.size()}; }
};
/// Where the digits of one stand in the text.
[[nodiscard]] std::size_t place_of_number(std::string_view metadata, std::string_view name);

}  // namespace deed::trace::detail
