// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <utility>

namespace deed::viewer {
namespace {

/// Messages of about one size between two ranks, one way.
struct one_way {
  std::uint64_t messages = 0;
  std::int64_t fastest = std::numeric_limits<std::int64_t>::max();
};

/// By the two ranks, the lower one first: there and back.
using links = std::map<std::pair<int, int>, std::array<one_way, 2>>;

/// By the size, up to a factor of two.
std::map<std::uint64_t, links> by_size(const model& of, const run_part& part) {
  std::map<std::uint64_t, links> found;
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i) {
    const transfer& x = of.transfers()[i];
    if (x.start == never || x.done_receive == never || x.src == x.dst || !part.has_transfer(of, i))
      continue;
    one_way& way = found[std::bit_width(x.bytes)][std::minmax(x.src, x.dst)][x.src < x.dst ? 0 : 1];
    ++way.messages;
    way.fastest = std::min(way.fastest, x.done_receive - x.start);
  }
  return found;
}

/// Of pairs with enough messages both ways that one of them was not held up.
std::map<std::pair<int, int>, std::int64_t> round_trips(const links& of) {
  constexpr std::uint64_t enough = 4;
  std::map<std::pair<int, int>, std::int64_t> found;
  for (const auto& [ranks, ways] : of)
    if (ways[0].messages >= enough && ways[1].messages >= enough)
      found[ranks] = ways[0].fastest + ways[1].fastest;
  return found;
}

}  // namespace

std::vector<slow_link> slow_links(const model& of, const run_part& part) {
  constexpr std::size_t fewest_pairs = 3;
  constexpr std::int64_t slower = 3;
  std::map<std::pair<int, int>, slow_link> slow;
  std::map<std::pair<int, int>, bool> fast;  // For one size at least.
  for (const auto& [size, each] : by_size(of, part)) {
    const auto took = round_trips(each);
    if (took.size() < fewest_pairs) continue;
    std::vector<std::int64_t> sorted;
    for (const auto& [ranks, time] : took) sorted.push_back(time);
    std::ranges::sort(sorted);
    const std::int64_t usual = sorted[(sorted.size() - 1) / 2];
    for (const auto& [ranks, time] : took) {
      if (usual > 0 && time >= slower * usual)
        slow[ranks] = {ranks.first, ranks.second, time, usual};
      else
        fast[ranks] = true;
    }
  }
  std::vector<slow_link> found;
  for (const auto& [ranks, each] : slow)
    if (!fast.contains(ranks)) found.push_back(each);
  return found;
}

}  // namespace deed::viewer
