// SPDX-License-Identifier: MIT
#include "analysis/match/recorded_group.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace deed::viewer {
namespace {

struct members_in_line {
  int first = 0, last = 0, step = 1;
};

std::optional<members_in_line> read_line(std::string_view text) {
  members_in_line found;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](int& into) {
    const auto [behind, failed] = std::from_chars(at, end, into);
    at = behind;
    return failed == std::errc{} && into >= 0;
  };
  if (!number(found.first)) return {};
  found.last = found.first;
  if (at != end && (*at++ != '-' || !number(found.last))) return {};
  if (at != end && (*at++ != '/' || !number(found.step))) return {};
  if (at != end || found.step == 0 || found.last < found.first) return {};
  return found;
}

}  // namespace

void recorded_group::add(std::string_view more, int ranks) {
  if (damaged) return;
  text += (text.empty() ? "" : ",") + std::string(more);
  std::vector<bool> there(static_cast<std::size_t>(ranks));
  for (const int each : members) there[static_cast<std::size_t>(each)] = true;
  while (!more.empty()) {
    const std::string_view one = more.substr(0, more.find(','));
    more.remove_prefix(std::min(more.size(), one.size() + 1));
    const auto line = read_line(one);
    damaged |= !line || line->last >= ranks;
    if (damaged) return;
    for (int rank = line->first; rank <= line->last; rank += line->step) {
      damaged |= there[static_cast<std::size_t>(rank)];
      there[static_cast<std::size_t>(rank)] = true;
      members.push_back(rank);
    }
  }
}

}  // namespace deed::viewer
