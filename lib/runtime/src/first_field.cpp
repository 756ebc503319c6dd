// SPDX-License-Identifier: MIT
#include "first_field.hpp"

#include <deed/ownership/access_mode.hpp>

#include "report.hpp"

#include <algorithm>

namespace deed::runtime {
namespace {

using std::string;

string on_both(const string& field, const string& one, int rank_of_one, const string& two,
               int rank_of_two) {
  if (rank_of_two < rank_of_one) return on_both(field, two, rank_of_two, one, rank_of_one);
  return field + ": " + one + " on rank " + std::to_string(rank_of_one) + ", " + two + " on rank " +
         std::to_string(rank_of_two);
}

string with_tag(const told_access& access) {
  return access.datum + " (tag " + std::to_string(access.tag) + ")";
}

string mode_of(const told_access& access) {
  return quoted(to_string(static_cast<access_mode>(access.mode)));
}

}  // namespace

string first_field(const told_dealing& one, int rank_of_one, const told_dealing& two,
                   int rank_of_two) {
  if (one.accesses.empty() || two.accesses.empty()) return {};
  const auto differs = [&](const string& field, const string& here, const string& there) {
    return on_both(field, here, rank_of_one, there, rank_of_two);
  };
  if (one.codelet != two.codelet)
    return differs("codelet", quoted(one.codelet), quoted(two.codelet));
  const std::size_t count = std::min(one.accesses.size(), two.accesses.size());
  for (std::size_t i = 0; i < count; ++i) {
    const told_access &here = one.accesses[i], &there = two.accesses[i];
    const string nth = "datum " + std::to_string(i + 1) + " of " + quoted(one.codelet);
    if (here.tag != there.tag) return differs(nth, with_tag(here), with_tag(there));
    if (here.mode != there.mode)
      return differs("mode of " + here.datum, mode_of(here), mode_of(there));
  }
  if (one.accesses.size() != two.accesses.size()) {
    return differs("number of data", std::to_string(one.accesses.size()),
                   std::to_string(two.accesses.size()));
  }
  if (one.executor != two.executor) {
    return differs("run by", "rank " + std::to_string(one.executor),
                   "rank " + std::to_string(two.executor));
  }
  return {};
}

string first_value(const told_step& one, int rank_of_one, const told_step& two, int rank_of_two) {
  const std::size_t count = std::min(one.values.size(), two.values.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (one.values[i] != two.values[i]) {
      return on_both("value " + std::to_string(i + 1), one.values[i], rank_of_one, two.values[i],
                     rank_of_two);
    }
  }
  return {};
}

const told_dealing* placed_elsewhere(const told_dealing& wanted,
                                     const std::vector<told_dealing>& among) {
  const auto same_data = [&](const told_dealing& each) {
    return std::ranges::equal(each.accesses, wanted.accesses,
                              [](const told_access& a, const told_access& b) {
                                return a.tag == b.tag && a.mode == b.mode;
                              });
  };
  const auto found = std::ranges::find_if(among, [&](const told_dealing& each) {
    return !each.accesses.empty() && each.codelet == wanted.codelet &&
           each.executor != wanted.executor && same_data(each);
  });
  return found == among.end() ? nullptr : &*found;
}

}  // namespace deed::runtime
