// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <map>

/// @file
/// What a rank did so far, in numbers.

namespace deed {

/// Messages between this rank and one other. Units: bytes of payload, without headers.
struct traffic {
  std::uint64_t transfers = 0;
  std::uint64_t payload_bytes = 0;
};

/// Counts of one rank since its session began. Always on.
struct statistics {
  std::uint64_t tasks_submitted = 0;  ///< Inserted here, wherever they run.
  std::uint64_t tasks_run = 0;        ///< Run here.
  std::uint64_t cache_hits = 0;  ///< Data of other ranks that tasks here read without a transfer.
  std::uint64_t cache_bytes_saved = 0;
  std::chrono::nanoseconds busy{};  ///< In task bodies, over all workers.
  std::map<int, traffic> sent_to;   ///< By rank; only ranks that were talked to.
  std::map<int, traffic> received_from;
};

}  // namespace deed
