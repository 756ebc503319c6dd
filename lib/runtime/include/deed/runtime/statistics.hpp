// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// @file
/// What a rank did so far, in numbers.

namespace deed {

/// Between this rank and one other, in one direction. Transfers, payload and data frames follow
/// from the program alone: they are equal as threads, on virtual ranks and under MPI.
struct traffic {
  std::uint64_t transfers = 0;
  std::uint64_t payload_bytes = 0;  ///< Of the transfers, without headers.
  // Of what was sent:
  std::uint64_t announced = 0;       ///< Transfers that asked for room first.
  std::uint64_t data_frames = 0;     ///< That carry payload: one of a small transfer, else pieces.
  std::uint64_t control_frames = 0;  ///< Announcements, their answers, credits.
  std::uint64_t other_frames = 0;    ///< Collectives, proofs, reports.
  std::uint64_t header_bytes = 0;
};

/// What tasks of this rank read of the data of one other. Units: bytes as they would have
/// travelled.
struct cache_use {
  std::uint64_t hits = 0;         ///< Reads that found a copy here.
  std::uint64_t misses = 0;       ///< Reads that brought one.
  std::uint64_t bytes_saved = 0;  ///< By the hits; exact when their tasks have run.
};

/// Tasks of one codelet that ran on this rank, and how long they took.
/// Units: nanoseconds. Some tasks were measured: the first on each thread, and those that come
/// after a look at the clock, which is about every 20 microseconds, or every 31st where those
/// before were shorter.
struct codelet_use {
  std::uint64_t tasks = 0;       ///< On processors.
  std::uint64_t on_devices = 0;  ///< Beside those; how long they took is not in the sums.
  std::uint64_t timed = 0;       ///< Of `tasks`, those that were measured.
  double sum_ns = 0;             ///< Of those that were measured.
  double sum_of_squares = 0;     ///< The same, squared one by one.

  [[nodiscard]] double mean_ns() const noexcept;
  /// The standard deviation; 0 of fewer than two.
  [[nodiscard]] double deviation_ns() const noexcept;
  /// Of all `tasks`, as if those that were not measured took as long as the others.
  [[nodiscard]] double total_ns() const noexcept;
  void add(const codelet_use& more) noexcept;
};

/// What a rank waited for, while a thread of it had nothing to run.
struct wait_use {
  std::string what;   ///< Data of this name, "`now`", or a call, "barrier() at heat.cpp:31".
  int from = -1;      ///< The rank from which it came; -1: a call.
  std::string where;  ///< The line that needs the datum; empty: a call, which says it itself.
  std::uint64_t times = 0;
  std::chrono::nanoseconds total{}, longest{};
  std::string longest_for;  ///< Of the data of that name the one that it waited longest for.
};

/// Counts of one rank since its session began. Always on.
struct statistics {
  std::uint64_t tasks_submitted = 0;  ///< Inserted here, wherever they run.
  std::uint64_t tasks_run = 0;        ///< Run here.
  std::uint64_t tasks_cancelled = 0;  ///< Not run here, for want of what they read.
  std::uint64_t cache_hits = 0;  ///< Data of other ranks that tasks here read without a transfer.
  std::uint64_t cache_misses = 0;
  std::uint64_t cache_bytes_saved = 0;
  std::map<int, cache_use> cache_of;    ///< By owner.
  std::uint64_t copies_bytes = 0;       ///< That copies of other ranks' data take now.
  std::uint64_t most_copies_bytes = 0;  ///< That they ever took.
  std::chrono::nanoseconds busy{};      ///< Running tasks, one after the other, over all workers.
  std::chrono::nanoseconds idle{};      ///< The same threads with nothing to run.
  /// The program's thread, while it does not wait in a call, if it is one of those that run tasks.
  std::chrono::nanoseconds program{};
  std::map<std::string, codelet_use> codelets;  ///< By name.
  std::vector<wait_use> waits;                  ///< The longest in all first; few.
  std::uint64_t tasks_on_devices = 0;           ///< Of those that ran here.
  std::uint64_t bytes_to_devices = 0;
  std::uint64_t bytes_from_devices = 0;
  std::uint64_t bytes_sent_from_devices = 0;  ///< That the network took there itself.
  std::uint64_t device_evictions = 0;         ///< Data that made room for others on a device.
  /// Of the network, but for pieces of large transfers: small frames to one rank leave together
  /// where they can, which depends on timing.
  std::uint64_t messages_sent = 0;
  std::map<int, traffic> sent_to;  ///< By rank; only ranks that were talked to.
  std::map<int, traffic> received_from;
};

}  // namespace deed
