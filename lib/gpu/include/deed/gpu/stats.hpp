// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// @file
/// What the devices did so far, in numbers.

namespace deed::gpu {

/// Counters of a driver, since it was made. Bytes per edge of the memory nodes, and what cost time.
struct statistics {
  std::uint64_t tasks = 0;       ///< Completed on a device.
  std::uint64_t host_tasks = 0;  ///< Run by their `on_host` body instead.
  std::uint64_t failed_tasks = 0;
  std::uint64_t bytes_to_device = 0;
  std::uint64_t bytes_to_host = 0;
  std::uint64_t bytes_between_devices = 0;
  std::uint64_t bytes_to_network = 0;  ///< That left a device without a copy to the host.
  std::uint64_t pinned_homes = 0;      ///< Data whose home was pinned because they came again.
  std::uint64_t copies = 0;
  std::uint64_t retried_copies = 0;
  std::uint64_t prefetches = 0;
  std::uint64_t cleanings = 0;
  std::uint64_t evictions = 0;
  std::uint64_t write_backs = 0;  ///< Evictions that had to copy first.
  std::uint64_t parked = 0;       ///< Times that a task waited for memory.
  std::uint64_t events_created = 0;
  std::uint64_t slabs_allocated = 0;
  std::uint64_t waits = 0;  ///< Stream waits asked for.
  std::uint64_t devices_lost = 0;
};

/// What one device holds.
struct residency {
  std::size_t limit_bytes = 0;
  std::size_t reserved_bytes = 0;  ///< In slabs.
  std::size_t used_bytes = 0;      ///< In blocks that somebody has.
  std::size_t peak_bytes = 0;      ///< The most that was used.
};

}  // namespace deed::gpu
