// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// What goes wrong in a simulated run.

namespace deed::transport {

/// MPI neither loses nor duplicates silently, so neither does a plan.
/// A plan is text, so that a failing run can be kept: `to_string`, `parse`.
///
/// @code{.cpp}
/// const auto plan = deed::transport::parse("delay 4 5000; kill 2 after 20; damage 17");
/// @endcode
struct fault_plan {
  struct stall {
    int rank;
    std::chrono::nanoseconds at, lasts;
  };
  struct kill {
    int rank;
    std::uint64_t after_frames;  ///< It dies in place of sending the next one.
  };
  struct skew {
    int rank;
    std::chrono::nanoseconds ahead;
  };
  std::uint64_t delay_one_in = 0;  ///< 0: none. Such a frame is late by up to `delay_up_to`.
  std::chrono::nanoseconds delay_up_to{};
  std::vector<stall> stalls;
  std::vector<kill> kills;
  std::vector<skew> skews;
  std::vector<std::uint64_t> damaged_frames;  ///< One bit of the n-th frame of the run, from 1.
  std::vector<std::uint64_t> dropped_frames;  ///< With an error at the sender.
  std::vector<std::uint64_t> failed_bulk;     ///< The n-th bulk transfer, at both ends.
};

/// `delay N NS; stall R at NS for NS; kill R after N; skew R by NS; damage N; drop N; fail N`
[[nodiscard]] std::string to_string(const fault_plan& plan);
/// The highest rank that something is planned for; -1: for none.
[[nodiscard]] int last_rank(const fault_plan& plan) noexcept;
/// @throws deed::error D007 if the text is no plan.
[[nodiscard]] fault_plan parse(std::string_view text);

}  // namespace deed::transport
