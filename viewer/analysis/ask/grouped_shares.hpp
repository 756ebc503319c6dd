// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace deed::viewer {

/// What some workers and devices did together.
struct group_time {
  std::string name;  ///< "rank 1".
  std::int64_t members = 0;
  std::vector<std::pair<std::string, std::int64_t>> parts;  ///< In the order of `shares`.
};
/// In the order of `shares`.
[[nodiscard]] std::vector<group_time> grouped(const model& of, const time_shares& all,
                                              shares_per per);

}  // namespace deed::viewer
