// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/model.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// @file
/// Which data are most of what one rank sent to another.

namespace deed::viewer {

struct moved_datum {
  std::uint32_t handle = none;
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
};
/// The most bytes first; at most so many. Cost: O(transfers).
[[nodiscard]] std::vector<moved_datum> most_moved(const model& of, int src, int dst,
                                                  std::size_t most, const run_part& part = {});
/// "A[3,2] 2.0 MB in 2 messages, A[1,0] 1.0 MB in 1 message"; empty: none.
[[nodiscard]] std::string say_most_moved(const model& of, const std::vector<moved_datum>& data);

}  // namespace deed::viewer
