// SPDX-License-Identifier: MIT
#include "analysis/clock/measured_fit.hpp"

#include "analysis/read/shared_clocks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace deed::viewer {
namespace {

/// One comparison: how far the higher rank's clock was ahead.
struct comparison {
  double ahead = 0, error = 0, at = 0;
};

/// By the two ranks, the lower one first, and the measurement.
using comparisons = std::map<std::tuple<int, int, std::uint64_t>, comparison>;

void add_comparison(const run& of, const event& e, comparisons& into) {
  const int rank = of.rank_of(e);
  const auto peer = static_cast<int>(of.get32(e, field::peer));
  const auto ranks = static_cast<int>(of.ranks().size());
  const trace_layout *const mine = of.clock_of(rank), *const theirs = of.clock_of(peer);
  if (peer == rank || rank >= ranks || peer >= ranks || mine == nullptr || theirs == nullptr)
    return;
  const double trip =
      static_cast<double>(of.get(e, field::rtt)) * 1e9 / static_cast<double>(mine->hertz);
  const auto shown = stamp_scale::exact(*theirs, of.get(e, field::t_ref)) - of.origin();
  const double at = static_cast<double>(e.time) - trip / 2;
  const double ahead = at - static_cast<double>(shown);
  const bool up = rank > peer;
  const auto [known, fresh] =
      into.try_emplace({std::min(rank, peer), std::max(rank, peer), of.get(e, field::round)});
  if (!fresh && known->second.error <= trip / 2) return;
  known->second = {up ? ahead : -ahead, trip / 2, at};
}

clock_edge edge_between(int low, int high, const comparison& first, const comparison& last,
                        double middle) {
  const comparison& better = first.error < last.error ? first : last;
  clock_edge found{low, high, better.ahead, 0, better.error};
  const double moved = last.ahead - first.ahead, passed = last.at - first.at;
  if (passed <= 0 || std::abs(moved) <= first.error + last.error ||
      std::abs(moved) > most_drift * passed)
    return found;
  found.rate = moved / passed;
  found.ahead = first.ahead + found.rate * (middle - first.at);
  found.error = std::max(first.error, last.error);
  return found;
}

/// The stamp at which a clock shows `time`, since the Unix epoch.
std::uint64_t stamp_at(const trace_layout& of, std::int64_t time) {
  __extension__ using wide = __int128;
  constexpr wide billion = 1'000'000'000;
  const wide since = static_cast<wide>(time) - static_cast<wide>(of.offset_seconds) * billion;
  return static_cast<std::uint64_t>(since * static_cast<wide>(of.hertz) / billion -
                                    of.offset_stamps);
}

void add_neighbours(const run& of, std::vector<clock_edge>& into) {
  std::map<std::string, int> firsts;
  const std::int64_t middle = of.origin() + of.end() / 2;
  for (int rank = 0; rank < static_cast<int>(of.ranks().size()); ++rank) {
    const trace_layout* const mine = of.clock_of(rank);
    if (mine == nullptr) continue;
    const std::string counter = shared_counter(*mine);
    if (counter.empty()) continue;
    const auto [first, fresh] = firsts.try_emplace(counter, rank);
    if (fresh) continue;
    const trace_layout& theirs = *of.clock_of(first->second);
    const double rate = static_cast<double>(theirs.hertz) / static_cast<double>(mine->hertz) - 1;
    if (std::abs(rate) > most_drift) continue;
    const std::uint64_t stamp = stamp_at(theirs, middle);
    const auto ahead =
        static_cast<double>(stamp_scale::exact(*mine, stamp) - stamp_scale::exact(theirs, stamp));
    into.push_back({first->second, rank, ahead, rate, 0});
  }
}

}  // namespace

std::vector<clock_edge> measured_edges(const run& of) {
  comparisons found;
  const auto& events = of.events();
  for (std::size_t i = 0; i < events.size(); ++i)
    if (events.what(i) == record::clock_sync) add_comparison(of, events[i], found);
  std::vector<clock_edge> edges;
  const double middle = static_cast<double>(of.end()) / 2;
  for (auto at = found.begin(); at != found.end();) {
    const auto [low, high, round] = at->first;
    const comparison& first = at->second;
    auto last = at;
    for (; at != found.end() && std::get<0>(at->first) == low && std::get<1>(at->first) == high;
         ++at)
      last = at;
    edges.push_back(edge_between(low, high, first, last->second, middle));
  }
  add_neighbours(of, edges);
  return edges;
}

bool measured_clocks(const run& of) {
  const auto& events = of.events();
  for (std::size_t i = 0; i < events.size(); ++i)
    if (events.what(i) == record::clock_sync) return true;
  return false;
}

}  // namespace deed::viewer
