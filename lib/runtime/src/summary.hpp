// SPDX-License-Identifier: MIT
#pragma once

#include <deed/runtime/statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

/// @file
/// What all ranks did, collected by rank 0 at the end of a session and printed once.

namespace deed::runtime {

/// What one rank tells rank 0.
struct rank_summary {
  int rank = 0;
  std::uint64_t run_ns = 0;   ///< From the beginning of the session to its end.
  std::uint64_t workers = 0;  ///< Threads that run tasks.
  bool program_helps = true;  ///< The program's thread is one of these.
  bool is_a_process = false;  ///< Else all ranks are threads of one.
  bool in_virtual_time = false;
  std::uint64_t peak_memory_bytes = 0;  ///< Of its process.
  deed::statistics counts;

  /// Running tasks; of very short ones as those of them that were measured.
  [[nodiscard]] double in_tasks_ns() const;
  /// What is left of its threads' time: choosing tasks, and moving and packing data.
  [[nodiscard]] double overhead_ns() const;
};

/// The largest memory that this process had, as the system counts. Units: bytes; 0: unknown.
[[nodiscard]] std::uint64_t peak_memory();

/// One screen.
[[nodiscard]] std::string as_text(std::span<const rank_summary> ranks);
[[nodiscard]] std::string as_json(std::span<const rank_summary> ranks);

/// What rank 0 has heard so far.
class summary {
 public:
  void add(rank_summary&& of);
  [[nodiscard]] std::size_t heard() const;
  /// One screen, or JSON into a file. Call it when all have been heard.
  /// `target` is "text" for standard error, else the name of a file.
  /// @throws deed::error D006 if the file cannot be written; then none is left half-written.
  void print(const std::string& target) const;

 private:
  mutable std::mutex mutex_;
  std::vector<rank_summary> ranks_;
};

}  // namespace deed::runtime
