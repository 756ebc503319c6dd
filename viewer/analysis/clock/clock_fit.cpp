// SPDX-License-Identifier: MIT
#include "analysis/clock/clock_fit.hpp"

#include "analysis/clock/measured_fit.hpp"
#include "analysis/clock/message_fit.hpp"
#include "analysis/read/shared_clocks.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace deed::viewer {
namespace {

bool is_simulated(const run& of) {
  return std::ranges::any_of(of.ranks(),
                             [](const rank_info& each) { return each.clock_kind == "virtual"; });
}

}  // namespace

std::optional<clock_correction> correction_named(std::string_view name) {
  if (name == "none") return clock_correction::nothing;
  if (name == "sync") return clock_correction::sync;
  if (name == "messages") return clock_correction::messages;
  if (name == "sync+messages") return clock_correction::sync_and_messages;
  return {};
}

std::uint64_t clock_fit::all_early() const {
  return std::accumulate(early.begin(), early.end(), std::uint64_t{0});
}

void spread_from_first(std::span<const clock_edge> edges, const run& of, clock_fit& into) {
  const auto ranks = of.ranks().size();
  const std::int64_t middle = of.end() / 2;
  into.shifts.clear();
  for (std::size_t rank = 0; rank < ranks; ++rank)
    into.shifts.push_back({static_cast<int>(rank), of.origin() + middle, 0, 0});
  into.errors.assign(ranks, never);
  into.known_by.resize(ranks);
  std::iota(into.known_by.begin(), into.known_by.end(), 0);
  if (is_simulated(of) || ranks == 0) return;
  std::vector<clock_edge> sorted(edges.begin(), edges.end());
  std::ranges::stable_sort(sorted, {}, &clock_edge::error);
  into.errors[0] = 0;
  // Prim's tree: always the best edge to a rank that is not reached yet.
  for (bool grew = true; grew;) {
    grew = false;
    for (const clock_edge& each : sorted) {
      const auto low = static_cast<std::size_t>(each.low),
                 high = static_cast<std::size_t>(each.high);
      if ((into.errors[low] == never) == (into.errors[high] == never)) continue;
      const bool up = into.errors[low] != never;
      const std::size_t from = up ? low : high, to = up ? high : low;
      const double sign = up ? 1 : -1;
      into.shifts[to].ahead =
          into.shifts[from].ahead + static_cast<std::int64_t>(sign * each.ahead);
      into.shifts[to].rate = into.shifts[from].rate + sign * each.rate;
      into.errors[to] = into.errors[from] + static_cast<std::int64_t>(each.error) + 1;
      into.known_by[to] = static_cast<int>(from);
      grew = true;
      break;
    }
  }
}

bool read_one_clock(const run& of) {
  std::set<std::string> counters;
  for (const rank_info& each : of.ranks()) {
    const trace_layout* const clock = of.clock_of(each.rank);
    counters.insert(clock == nullptr ? std::string{} : shared_counter(*clock));
  }
  return of.ranks().size() > 1 && counters.size() == 1 && !counters.contains("");
}

clock_fit fit_clocks(const model& of, clock_correction by) {
  clock_fit found;
  const std::vector<clock_edge> told = message_edges(of, found);
  std::vector<clock_edge> edges;
  if (by == clock_correction::messages || by == clock_correction::sync_and_messages) edges = told;
  if (by == clock_correction::sync || by == clock_correction::sync_and_messages) {
    const std::vector<clock_edge> measured = measured_edges(of.events());
    edges.insert(edges.end(), measured.begin(), measured.end());
  }
  spread_from_first(edges, of.events(), found);
  return found;
}

}  // namespace deed::viewer
