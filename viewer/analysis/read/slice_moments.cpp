// SPDX-License-Identifier: MIT
#include "analysis/read/slice_moments.hpp"

#include "analysis/read/packets.hpp"

#include <algorithm>
#include <charconv>

namespace deed::viewer {

slice_moments slice_moments_in(const std::map<std::string, std::string>& environment) {
  const auto moment = [&](const char* name) -> std::optional<std::int64_t> {
    const auto at = environment.find(name);
    if (at == environment.end()) return {};
    std::int64_t time = 0;
    const char* const end = at->second.data() + at->second.size();
    if (std::from_chars(at->second.data(), end, time).ec != std::errc{} || time < 0) return {};
    return time;
  };
  slice_moments found{moment("slice_from"),
                      moment("slice_to"),
                      moment("slice_origin"),
                      environment.contains("slice_left_open"),
                      environment.contains("slice_goes_on"),
                      environment.contains("slice_has_gaps")};
  if (found.from && found.to && *found.to < *found.from) found.to = found.from;  // It is damage.
  return found;
}

std::int64_t origin_of(std::int64_t first, std::span<const slice_moments> ranks) {
  std::int64_t origin = first;
  for (const slice_moments& each : ranks)
    if (each.origin && *each.origin > first - hundred_days)  // Else it is damage.
      origin = std::min(origin, *each.origin);
  return origin;
}

std::int64_t end_of(std::int64_t last, std::span<const slice_moments> ranks) {
  std::optional<std::int64_t> cut;
  for (const slice_moments& each : ranks) {
    if (!each.to) return last;
    cut = std::max(cut.value_or(*each.to), std::min(*each.to, last + hundred_days));
  }
  return cut.value_or(last);
}

}  // namespace deed::viewer
