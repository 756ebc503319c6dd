// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"

#include <algorithm>
#include <vector>

namespace deed::viewer {

/// The same times, in order, none of them in two.
[[nodiscard]] inline std::vector<time_range> joined(std::vector<time_range> spans) {
  std::ranges::sort(spans, {}, &time_range::from);
  std::vector<time_range> apart;
  for (const time_range& each : spans) {
    if (each.to <= each.from) continue;
    if (apart.empty() || each.from > apart.back().to)
      apart.push_back(each);
    else
      apart.back().to = std::max(apart.back().to, each.to);
  }
  return apart;
}

}  // namespace deed::viewer
