// SPDX-License-Identifier: MIT
#include "analysis/read/told_losses.hpp"

#include "analysis/read/packets.hpp"
#include "analysis/read/rank_folder.hpp"
#include "analysis/read/slice_moments.hpp"
#include "analysis/say/units.hpp"

namespace deed::viewer {

told_losses told_losses_in(const trace_layout& rank) {
  const auto text = [&](const char* name) {
    const auto at = rank.environment.find(name);
    return at == rank.environment.end() ? std::string("0") : at->second;
  };
  const std::uint64_t stamp = to_number(text("lost_from"));
  if (stamp == 0) return {};
  const std::int64_t since = stamp_scale::exact(rank, stamp);
  const auto cut = slice_moments_in(rank.environment).to;
  if (cut && since > *cut) return {};
  const std::string unplaced = text("unplaced");
  return {.unplaced = to_number(unplaced),
          .since = since,
          .not_closed = unplaced.starts_with("not counted")};
}

std::string say_losses(std::uint64_t counted, std::optional<std::int64_t> since) {
  if (counted == 0 && !since) return {};
  const std::string what = counted == 0 ? "events that nobody counted" : say_some(counted, "event");
  return what + " found no packet" + (since ? ", from " + say_time(*since) + " on" : "");
}

}  // namespace deed::viewer
