// SPDX-License-Identifier: MIT
#include "report/grouping.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace deed::check {
namespace {

struct group {
  diagnostic first;
  std::set<span> places;
};

bool is_before(const diagnostic& a, const diagnostic& b) {
  return std::tie(a.how, a.depth, a.primary.at) < std::tie(b.how, b.depth, b.primary.at);
}

diagnostic as_one(group of) {
  const std::size_t more = of.places.size() - 1;
  if (more > 0) {
    of.first.notes.push_back("and in " + std::to_string(more) +
                             (more == 1 ? " more place" : " more places"));
  }
  return std::move(of.first);
}

}  // namespace

std::vector<diagnostic> grouped(std::vector<diagnostic> found) {
  std::vector<group> groups;
  std::map<std::pair<int, span>, std::size_t> seen;
  for (diagnostic& d : found) {
    const auto [it, is_new] = seen.try_emplace({d.code, cause_of(d)}, groups.size());
    if (is_new) groups.emplace_back();
    group& there = groups[it->second];
    there.places.insert(d.primary.at);
    if (is_new || is_before(d, there.first)) there.first = std::move(d);
  }
  std::vector<diagnostic> left;
  for (group& one : groups) left.push_back(as_one(std::move(one)));
  std::ranges::stable_sort(left, {}, [](const diagnostic& d) { return d.primary.at; });
  return left;
}

}  // namespace deed::check
