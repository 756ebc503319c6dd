// SPDX-License-Identifier: MIT
#include "analysis/ask/agreed_ledgers.hpp"

#include "analysis/ask/caveats.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <map>

namespace deed::viewer {
namespace {

bool ended_early(const model& of) {
  return !of.failures().empty() || first_stop(of) != none ||
         std::ranges::any_of(of.events().ranks(), &rank_info::is_left_open);
}

/// As the runtime does it, ever more seldom.
bool is_compared(std::uint64_t epoch) { return std::has_single_bit(epoch + 1); }

}  // namespace

std::vector<std::int64_t> ledgers_agreed_until(const model& of) {
  const run& r = of.events();
  const std::size_t ranks = r.ranks().size();
  if (ranks < 2 || !ended_early(of))
    return std::vector<std::int64_t>(ranks, std::numeric_limits<std::int64_t>::max());
  std::map<std::uint64_t, std::map<int, std::int64_t>> ends;  // Of epochs, by rank.
  for (std::size_t i = 0; i < r.events().size(); ++i) {
    if (r.events().what(i) != record::ledger_digest) continue;
    const event e = r.events()[i];
    if (!is_compared(r.get(e, field::epoch))) continue;
    ends[r.get(e, field::epoch)][r.rank_of(e)] = e.time;
  }
  std::vector<std::int64_t> found(ranks, never);
  for (const auto& [epoch, of_rank] : ends)
    for (const auto& [rank, time] : of_rank)
      if (of_rank.size() == ranks && 0 <= rank && static_cast<std::size_t>(rank) < ranks)
        found[static_cast<std::size_t>(rank)] = time;
  return found;
}

}  // namespace deed::viewer
