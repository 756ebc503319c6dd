// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/lod/curve.hpp"
#include "analysis/model.hpp"
#include "analysis/say/answer.hpp"

#include <array>
#include <cstdint>
#include <vector>

/// @file
/// What became of copies: how long each lay on its rank, who used it, and what they took together.

namespace deed::viewer {

/// A version of a datum on a rank that does not own it, for as long as it lay there; a stale one
/// does until it is dropped. Of virtual ranks that may be no time at all.
struct copy_life {
  std::uint32_t handle = none;
  std::uint32_t version = 0;
  int rank = 0;
  std::int64_t from = 0;
  std::int64_t until = 0;  ///< The end of the run, if it was still there.
  std::uint32_t uses = 0;  ///< Tasks that began with it.
};

/// By handle, then time; not of data of which each rank has its own. Cost: O(events of data), on a
/// few threads.
[[nodiscard]] std::vector<copy_life> copy_lives(const model& of);
/// Bytes, by rank.
[[nodiscard]] std::vector<curve> bytes_in_copies(const model& of,
                                                 const std::vector<copy_life>& lives);

/// The results of a look for a copy, but for the first, which is a hit.
inline constexpr std::array<const char*, 4> kinds_of_misses{"cold", "version", "dropped",
                                                            "capacity"};
/// When they were, in order, by kind. Cost: O(looks).
using miss_times = std::array<std::vector<std::int64_t>, kinds_of_misses.size()>;
[[nodiscard]] miss_times misses(const model& of);

/// Those that lay there in `part`. A query chooses the copies of a datum on a rank by what that
/// rank recorded of the datum.
[[nodiscard]] std::vector<copy_life> lives_in(const model& of, const std::vector<copy_life>& lives,
                                              const run_part& part);
/// Adds a table to what is said of the cache: a row per handle that had copies in `part`, the most
/// copies first; nothing where there were none.
void add_copy_lives(const model& of, const std::vector<copy_life>& lives, const run_part& part,
                    answer& to);
/// A row per rank: what copies took there at most, when, in the mean and at the end of `part`.
[[nodiscard]] answer say_bytes_in_copies(const model& of, const std::vector<copy_life>& lives,
                                         const run_part& part = {});
/// How many there were, by kind, in each of a few parts of the time of `part`.
[[nodiscard]] answer say_misses(const model& of, const run_part& part = {});

}  // namespace deed::viewer
