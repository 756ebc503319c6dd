// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

/// @file
/// What is recorded, where to, and who records.

namespace deed::trace {

/// What a full disk or a limit turns a recording into, and what `ring` asks for from the start.
enum class recording : std::uint8_t {
  full,  ///< Everything is kept.
  ring,  ///< A flight recorder: at least the last three quarters of `ring_bytes` of each stream.
};

/// Where packets lie while they are written.
enum class packet_place : std::uint8_t {
  folder,         ///< In the run's folder, mapped.
  shared_memory,  ///< In /dev/shm; full ones are copied into the folder, the rest at the end.
};

/// Settings of a recording; the defaults record everything once there is a path.
struct recorder_options {
  std::string path;  ///< The run's folder; empty: record nothing.
  recording mode = recording::full;
  std::size_t ring_bytes = std::size_t{64} << 20;     ///< Per stream, in mode `ring`.
  std::uint32_t categories = 0xff;                    ///< Bits of `category`; `place` is off.
  std::size_t packet_bytes = std::size_t{256} << 10;  ///< 64 KiB .. 4 MiB, a power of two.
  std::uint64_t limit_bytes = 0;  ///< Per rank; 0: none. At the limit `full` turns into `ring`.
  packet_place io = packet_place::folder;
  /// How often what was written is brought to the disk, against a loss of power; 0: when the
  /// system does it. Needs the helper thread.
  std::chrono::milliseconds sync{};
  /// Prepare packets on the writing thread instead of a helper thread. Always so with a session's
  /// own clock, because equal seeds have to give equal bytes.
  bool synchronous = false;

  /// The defaults, changed by DEED_TRACE, DEED_TRACE_MODE, _EVENTS, _PACKET, _LIMIT,
  /// _IO and _SYNC.
  /// @throws deed::error D007 if one of them has no such value.
  [[nodiscard]] static recorder_options from_environment();

  /// One setting by its name, "mode" with "ring:64M"; names are those of `--deed-trace-NAME`, and
  /// "path". @throws deed::error D007 if there is no such name or value; then nothing has changed.
  void set(const std::string& name, const std::string& value);
};

/// Which run this is, and which member of it. Equal `run_id` on all ranks.
struct run_identity {
  std::array<std::uint64_t, 2> run_id{};
  int rank = 0;
  int size = 1;
};

/// "task,xfer": the categories by their names.
[[nodiscard]] std::string names_of(std::uint32_t categories);

/// Whether `path` holds a run already. Any rank that finds it so makes all ranks use `other_path`.
[[nodiscard]] bool path_taken(const std::string& path);
/// Takes `path` for a run, by rank 0 once all of its ranks have looked. False: another session that
/// starts at the same time was first.
[[nodiscard]] bool take_path(const std::string& path);
/// PATH-<8 hex digits of the run's id>; `number` from 2 on stands behind it: virtual ranks have a
/// seed for an id.
[[nodiscard]] std::string other_path(const std::string& path, const run_identity& run,
                                     std::uint64_t number = 1);
/// The least number from `first` on whose other path is not taken.
[[nodiscard]] std::uint64_t free_number(const std::string& path, const run_identity& run,
                                        std::uint64_t first);

}  // namespace deed::trace
