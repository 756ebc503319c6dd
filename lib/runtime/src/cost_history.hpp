// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

/// @file
/// How long codelets took on the workers of this machine, and copies between their memories.

namespace deed::runtime {

/// What was measured of one codelet, on data of one size and one kind of worker.
struct measured_time {
  std::uint32_t samples = 0;
  double mean_ns = 0;
  bool fresh = false;          ///< In this run.
  std::uint32_t promised = 0;  ///< Samples that are on their way.
  void add(std::chrono::nanoseconds took) noexcept;
};

/// Copies of one direction, as a line over their bytes: the sums that give it.
struct measured_link {
  double samples = 0, bytes = 0, time_ns = 0, bytes_squared = 0, bytes_by_time = 0;
  bool fresh = false;
  void add(std::uint64_t size_bytes, std::chrono::nanoseconds took) noexcept;
  [[nodiscard]] std::chrono::nanoseconds expected(std::uint64_t size_bytes) const noexcept;
};

/// Measured times by codelet, size and kind of worker ("cpu", "cuda:NVIDIA H200"), and of copies by
/// link ("to cuda:NVIDIA H200"). Sizes count as equal within a quarter of an octave.
///
/// A file keeps it between runs, one line per measurement, for one machine. It ends with a hash of
/// its lines, so that a damaged one is recognised.
///
/// Threads: one at a time.
class cost_history {
 public:
  using key = std::tuple<std::string, std::string, unsigned>;  // Worker, codelet, class of size.

  [[nodiscard]] static unsigned class_of(std::uint64_t bytes) noexcept;

  [[nodiscard]] measured_time& task(std::string_view worker, std::string_view codelet,
                                    std::uint64_t bytes);
  [[nodiscard]] measured_link& link(std::string_view name);

  /// Empty: nothing is wrong. Else why the file was ignored, in a few words; nothing was taken.
  [[nodiscard]] std::string read(const std::string& path, std::string_view machine);
  /// What was measured in this run, over what the file holds by now. Another machine's file is
  /// left alone. False if it cannot be written.
  /// Ranks of one machine write one after the other, each with a `writer` of its own.
  [[nodiscard]] bool write(const std::string& path, std::string_view machine, int writer) const;

 private:
  enum class trust : std::uint8_t { good, absent, damaged, foreign };
  [[nodiscard]] trust parse(const std::string& path, std::string_view machine);

  std::map<key, measured_time> tasks_;
  std::map<std::string, measured_link, std::less<>> links_;
};

/// The name of this machine, for which measurements hold.
[[nodiscard]] std::string machine_name();
/// Where the history lies unless somebody says otherwise: in the user's cache. Empty: nowhere.
[[nodiscard]] std::string default_history_path();

}  // namespace deed::runtime
