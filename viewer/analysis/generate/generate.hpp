// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// Synthetic runs with known faults, written by the real recorder.

namespace deed::viewer {

/// What the ranks compute: a tiled Cholesky factorisation; sweeps of a stencil over the tiles of a
/// square, each from its four neighbours, in place; tiles in a ring, each from the one before it,
/// round and back.
enum class made_app : std::uint8_t { cholesky, stencil, ring };
[[nodiscard]] std::optional<made_app> app_named(std::string_view name);

struct generator_options {
  std::string path;
  made_app app = made_app::cholesky;
  int ranks = 4;
  int workers = 2;
  int tiles = 6;             ///< Per side of the matrix; in the ring.
  std::uint64_t events = 0;  ///< Repeat until there are so many; 0: once.
  std::uint64_t seed = 7;
  std::map<std::string, int> inject;  ///< Fault -> how often.
  /// Fault -> how much, instead of drawn: nanoseconds that a clock is ahead (`skew`), or gains in
  /// each second (`drift`); the share of its events that a stream loses (`drop`), or that a file
  /// keeps (`cut`).
  std::map<std::string, double> amounts;
};

struct injected_fault {
  std::string kind;
  std::uint32_t handle = ~std::uint32_t{0};
  std::uint32_t version = 0;
  int src = -1;
  int dst = -1;
  /// Of `skew`: by how much the clock is ahead; of `drift`: by how much more after each second; of
  /// `drop`: how many events are lost.
  std::int64_t at = 0;
  std::string file = {};   ///< That is damaged: "rank-000000/comm.000".
  std::uint64_t byte = 0;  ///< Where in it.
};

/// What one rank sent to another.
struct sent_messages {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t redundant = 0;  ///< Of the bytes: what a better program would not have sent.
};

/// What all ranks agree on at a moment: `add_to_digest` of version and owner of each datum, by its
/// number, from 0 on.
struct known_state {
  std::int64_t at = 0;
  std::uint64_t digest = 0;
};
[[nodiscard]] std::uint64_t add_to_digest(std::uint64_t digest, std::uint32_t version,
                                          std::uint32_t owner);

/// As in `path_step`; a task by its number.
struct known_step {
  std::string kind;
  std::uint64_t task = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct truth {
  std::uint64_t seed = 0;
  std::uint64_t events = 0;
  std::uint64_t tasks = 0;
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;
  std::map<std::pair<int, int>, sent_messages> comm_matrix;  ///< By source and destination.
  /// By rank and worker: the time for each codelet and each state.
  std::map<std::pair<int, int>, std::map<std::string, std::int64_t>> breakdown;
  std::vector<known_state> states;
  /// Right without `stale_read` and what is sent twice: those change what a task waits for.
  std::vector<known_step> critical_path;
  std::vector<injected_fault> faults;
  std::vector<std::string> not_injected;  ///< Asked for, but the run had no place for it.
};

/// What can go wrong, and the command that finds it.
struct fault_kind {
  const char* name;
  const char* what;
  const char* found_by;
};
[[nodiscard]] std::vector<fault_kind> fault_kinds();
/// What `amounts` has for "skew" and "50us", "drift" and "2ppm", "drop" and "1%", "cut" and "0.7".
/// Nothing: it is no amount of that fault.
[[nodiscard]] std::optional<double> parse_amount(std::string_view fault, std::string_view text);

/// A program with owners, a cache and a network, on a virtual clock. Equal options give equal
/// bytes. Writes `truth.json` beside the ranks.
/// @throws deed::error D006 if the path cannot be written.
truth generate(const generator_options& options);

}  // namespace deed::viewer
