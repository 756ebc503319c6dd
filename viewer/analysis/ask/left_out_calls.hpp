// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// @file
/// Calls of all ranks without a number, as `barrier()` and `any()`, that one rank did not make.

namespace deed::viewer {

struct left_out_call {
  int rank = 0;  ///< That seems to have left it out, or to have made it alone.
  std::int64_t time = 0;
  /// "rank 1 may have left out `barrier` at heat.cpp:57, which rank 0 made at 81.3 us".
  std::string sentence;
};

/// Of a run that ended because not all came to such a call (D404): of each rank that made others
/// than most, line by line, the first. Nothing of any other run: ranks may make such a call at
/// different lines. Cost: each rank of at most 256 is compared with each.
[[nodiscard]] std::vector<left_out_call> left_out_calls(const model& of);

}  // namespace deed::viewer
