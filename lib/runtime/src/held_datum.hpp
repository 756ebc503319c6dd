// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/coherence.hpp>

#include <chrono>
#include <cstdint>

/// @file
/// A datum that devices have to do with.

namespace deed::runtime {

/// Where the value of a datum will be when all that was decided has happened. Bit 0 is the host,
/// bit `d + 1` device `d`.
struct planned_value {
  std::uint64_t valid = 1;
  std::chrono::nanoseconds ready_at{};  // Of the session's clock.
};

/// Changed by `worker_choice`, but for the datum itself.
struct held_datum {
  gpu::coherent_datum datum;
  planned_value plan{};
};

}  // namespace deed::runtime
