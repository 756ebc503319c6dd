// SPDX-License-Identifier: MIT
#include "analysis/clock/message_fit.hpp"

#include "analysis/read/shared_clocks.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace deed::viewer {
namespace {

constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();

/// The fastest message of a direction in a part of the run, by the two clocks.
struct fastest {
  std::int64_t took = unknown;
  std::int64_t at = 0;
};

/// Messages between two ranks, the lower one first: there and back, in each half and as a whole.
struct between {
  std::array<std::array<fastest, 3>, 2> ways;
};

/// How far the higher rank's clock is ahead.
struct difference {
  double ahead = 0;
  double error = 0;
  double at = 0;
};

std::optional<difference> difference_of(const between& pair, std::size_t part) {
  const fastest &there = pair.ways[0][part], &back = pair.ways[1][part];
  if (there.took == unknown || back.took == unknown) return {};
  const auto a = static_cast<double>(there.took), b = static_cast<double>(back.took);
  return difference{(a - b) / 2, std::max(0.0, (a + b) / 2),
                    (static_cast<double>(there.at) + static_cast<double>(back.at)) / 2};
}

/// A line through both halves where they differ by more than their errors, else one number.
std::optional<clock_edge> edge_of(int low, int high, const between& pair, double middle) {
  const auto whole = difference_of(pair, 2);
  if (!whole) return {};
  clock_edge found{low, high, whole->ahead, 0, whole->error};
  const auto first = difference_of(pair, 0), last = difference_of(pair, 1);
  if (!first || !last || last->at <= first->at) return found;
  const double moved = last->ahead - first->ahead, errors = first->error + last->error;
  const double rate = moved / (last->at - first->at);
  if (std::abs(moved) <= errors || std::abs(rate) > most_drift) return found;
  return clock_edge{low, high, first->ahead + rate * (middle - first->at), rate,
                    std::max(first->error, last->error)};
}

using pairs = std::map<std::pair<int, int>, between>;

pairs collect(const model& of, std::int64_t middle, clock_fit& into) {
  pairs found;
  for (const transfer& x : of.transfers()) {
    if (x.start == never || x.done_receive == never || x.src == x.dst || x.src < 0 || x.dst < 0 ||
        x.src >= of.ranks() || x.dst >= of.ranks())
      continue;
    ++into.messages;
    const std::int64_t took = x.done_receive - x.start;
    if (took < 0) ++into.early[static_cast<std::size_t>(x.dst)];
    auto& way = found[std::minmax(x.src, x.dst)].ways[x.src < x.dst ? 0 : 1];
    for (const std::size_t part :
         {x.start < middle ? std::size_t{0} : std::size_t{1}, std::size_t{2}})
      if (took < way[part].took) way[part] = {took, x.start};
  }
  return found;
}

}  // namespace

std::vector<clock_edge> message_edges(const model& of, clock_fit& into) {
  into.messages = 0;
  into.early.assign(static_cast<std::size_t>(of.ranks()), 0);
  const std::int64_t middle = of.events().end() / 2;
  std::vector<clock_edge> edges;
  for (const auto& [ends, pair] : collect(of, middle, into))
    if (const auto each = edge_of(ends.first, ends.second, pair, static_cast<double>(middle)))
      edges.push_back(*each);
  return edges;
}

}  // namespace deed::viewer
