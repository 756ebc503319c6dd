// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

/// @file
/// Settings of the wire engine. Fixed for a run and equal on all ranks, so that counts agree.

namespace deed::transport {

struct engine_options {
  std::size_t eager_bytes = 8192;  ///< Header and payload that travel as one frame; 0: none does.
  unsigned chunk_log2 = 28;        ///< Larger transfers travel in pieces of 2^this bytes; 6 to 30.
  int credits = 0;  ///< Eager frames per peer under way; 0: max(1, min(32, 4096 / ranks)).
  std::size_t unmatched_bytes = std::size_t{64} << 20;  ///< Beyond it, no credit is given back.
  int bulk_sends = 24;     ///< Large sends under way at once; others wait, by priority.
  int bulk_receives = 24;  ///< Large receives under way at once; the same.
  bool checksums = false;  ///< xxh3 of every payload, compared on arrival (D004).
  std::chrono::nanoseconds idle_before_probe = std::chrono::milliseconds{50};
  /// If arrivals do not wake: how long after something happened `rest` returns at once. Some times
  /// what a sleep and its wake-up cost, because a rank that sleeps makes its peer wait, too.
  std::chrono::nanoseconds looks_for = std::chrono::microseconds{200};
  /// The same while a transfer of this rank is under way: a megabyte takes about 200 microseconds.
  std::chrono::nanoseconds looks_for_transfers = std::chrono::milliseconds{1};
  std::chrono::nanoseconds shortest_sleep = std::chrono::microseconds{20};
  std::chrono::nanoseconds longest_sleep = std::chrono::milliseconds{5};
};

/// What must be equal on all ranks before they may talk.
struct hello_card {
  std::uint64_t archive_version = 0;
  std::uint64_t build_id = 0;
  std::uint64_t features = 0;
  std::uint64_t settings = 0;  ///< A hash of the settings that must agree.
};

}  // namespace deed::transport
