// SPDX-License-Identifier: MIT
#include "call_order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

namespace deed::runtime {
namespace {

bool same_line(const known_call& one, const known_call& two) {
  return one.is == two.is && one.type == two.type && one.where == two.where;
}

using what_came = std::array<std::uint64_t, 3>;  // Before a call, and the call.

what_came what_came_to(const known_call& call) { return {call.before, call.is, call.type}; }

/// Of those that have made a call and know it.
struct variants {
  std::map<what_came, std::size_t> often;
  bool alike_before = true;
};

variants there(const std::vector<calls_of_rank>& all, std::uint64_t number) {
  variants found;
  for (const calls_of_rank& each : all)
    if (const known_call* const call = each.made->call(number)) ++found.often[what_came_to(*call)];
  for (const auto& [what, _] : found.often)
    found.alike_before &= what[0] == found.often.begin()->first[0];
  return found;
}

/// Most ranks are right, as far as one can know; of two, the one without which call the other is.
other_call described(const std::vector<calls_of_rank>& all, std::uint64_t number,
                     const variants& those) {
  other_call found{.number = number, .first = those.alike_before, .usual = {}, .other = {}};
  const auto often = [&](const calls_of_rank& each) {
    const known_call* const call = each.made->call(number);
    return call == nullptr ? 0 : those.often.at(what_came_to(*call));
  };
  found.usual = *std::ranges::max_element(all, {}, often);
  const what_came usual = what_came_to(*found.usual.made->call(number));
  found.other = *std::ranges::find_if(all, [&](const calls_of_rank& each) {
    const known_call* const call = each.made->call(number);
    return call != nullptr && what_came_to(*call) != usual;
  });
  found.lacks = left_out(*found.usual.made, *found.other.made);
  if (!found.lacks) found.adds = left_out(*found.other.made, *found.usual.made);
  if (found.adds && often(found.usual) == often(found.other)) {
    std::swap(found.usual, found.other);
    std::swap(found.lacks, found.adds);
  }
  return found;
}

constexpr std::uint64_t no_call = std::numeric_limits<std::uint64_t>::max();

/// The first call from `number` on that a rank knows: between those of a rank that is far behind
/// and those of the others there may be millions.
std::uint64_t next_known(const std::vector<calls_of_rank>& all, std::uint64_t number) {
  std::uint64_t found = no_call;
  for (const calls_of_rank& each : all) {
    if (number < each.made->count && !each.made->known.empty())
      found = std::min(found, std::max(number, each.made->first_known()));
  }
  return found;
}

}  // namespace

std::optional<other_call> first_other_call(const std::vector<calls_of_rank>& all) {
  for (std::uint64_t number = next_known(all, 0); number != no_call;
       number = next_known(all, number + 1)) {
    const variants those = there(all, number);
    if (those.often.size() > 1) return described(all, number, those);
  }
  return std::nullopt;
}

std::optional<std::string> left_out(const calls_made& all, const calls_made& few) {
  const auto both = [&](std::uint64_t number, std::uint64_t later) {
    return all.call(number + later) != nullptr && few.call(number) != nullptr;
  };
  std::uint64_t at = std::max(all.first_known(), few.first_known());
  if (!both(at, 0) || all.call(at)->before != few.call(at)->before) return std::nullopt;
  while (both(at, 0) && same_line(*all.call(at), *few.call(at))) ++at;
  if (!both(at, 1)) return std::nullopt;
  for (std::uint64_t next = at; both(next, 1); ++next)
    if (!same_line(*all.call(next + 1), *few.call(next))) return std::nullopt;
  return all.call(at)->where;
}

}  // namespace deed::runtime
