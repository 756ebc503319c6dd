// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/metadata.hpp"

#include <cstdint>
#include <map>
#include <string>

/// @file
/// Ranks of one machine read one counter, and each has measured by itself how fast it runs: by up
/// to ten millionths otherwise than its neighbour.

namespace deed::viewer {

/// The counter that a rank's stamps are of, and the machine; empty: a clock of its own.
[[nodiscard]] std::string shared_counter(const trace_layout& of);

/// A drift of a thousandth is no clock's: something else is wrong.
inline constexpr double most_drift = 1e-3;

/// All ranks of a machine translate stamps as the first of them does.
class shared_clocks {
 public:
  /// Ranks come in order. One that counts by far faster than the first keeps its own clock.
  void share(trace_layout& of);

 private:
  struct translation {
    std::uint64_t hertz = 0;
    std::int64_t offset_seconds = 0;
    std::int64_t offset_stamps = 0;
  };
  std::map<std::string, translation> firsts_;  // By counter.
};

}  // namespace deed::viewer
