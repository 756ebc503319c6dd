// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/model.hpp"
#include "analysis/say/answer.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

/// @file
/// How much happened to each datum, and to its copy on each rank.

namespace deed::viewer {

enum class heat : std::uint8_t { owner_changes, transfers, bytes_in, redundant_bytes, no_copy };
/// By number.
inline constexpr std::array<const char*, 5> names_of_heat{"owner changes", "transfers", "bytes in",
                                                          "redundant bytes", "no valid copy"};

/// Owner changes, transfers and bytes count where they arrive. Time without a valid copy is counted
/// from when the datum first had a value to its end; of the datum itself, it is that in which no
/// rank had one.
struct datum_heat {
  std::int64_t all = 0;  ///< Nanoseconds, bytes or a count.
  std::vector<std::int64_t> ranks;
};
/// What says why a measure is not known of a run.
[[nodiscard]] std::optional<answer> heat_not_recorded(const model& of, heat what);

/// Of `part`, its range, the ranks where it arrives, and the data that its query lets through.
/// Cost: O(events of the datum), of bytes and transfers, O(transfers of the datum). Threads: any.
[[nodiscard]] datum_heat heat_of(const model& of, std::uint32_t handle, heat what,
                                 const run_part& part = {});

struct run_heat {
  std::vector<std::int64_t> data;  ///< Of each datum, by number.
  std::int64_t most = 0;           ///< Of them.
  std::int64_t most_of_rank = 0;   ///< Of one datum on one rank.
};
/// Cost: as of each datum, on a few threads.
[[nodiscard]] run_heat heat_of_data(const model& of, heat what, const run_part& part = {});

[[nodiscard]] cell say_heat(heat what, std::int64_t value);
/// A line per datum that a rank registered; those that most bytes moved of come first.
[[nodiscard]] answer say_heat_of_data(const model& of, const run_part& part = {});

}  // namespace deed::viewer
