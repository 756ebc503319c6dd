// SPDX-License-Identifier: MIT
#include "leaks.hpp"

#include "report.hpp"

#include <algorithm>
#include <utility>

namespace deed::runtime {

bool leak::same_as(const leak& other) const {
  return code == other.code && happened == other.happened &&
         std::ranges::equal(facts, other.facts, [](const error::fact& a, const error::fact& b) {
           return a.label == b.label && a.text == b.text;
         });
}

void leak_list::add(error_code code, std::string happened, std::vector<error::fact> facts,
                    std::string help) {
  constexpr std::size_t most = 1000;  // Of different ones.
  leak fresh{static_cast<std::uint16_t>(code), std::move(happened), std::move(facts),
             std::move(help)};
  const std::lock_guard lock(mutex_);
  const bool known =
      std::ranges::any_of(found_, [&](const leak& each) { return each.same_as(fresh); });
  if (!known && found_.size() < most) found_.push_back(std::move(fresh));
}

std::vector<leak> leak_list::all() const {
  const std::lock_guard lock(mutex_);
  return found_;
}

std::vector<error> reports_of(const std::vector<rank_leaks>& all) {
  std::vector<std::pair<const leak*, std::vector<int>>> merged;
  for (const auto& [rank, found] : all) {
    for (const leak& each : found) {
      auto known =
          std::ranges::find_if(merged, [&](const auto& one) { return one.first->same_as(each); });
      if (known == merged.end()) known = merged.insert(merged.end(), {&each, {}});
      known->second.push_back(rank);
    }
  }
  std::vector<error> reports;
  for (const auto& [what, ranks] : merged) {
    std::vector<error::fact> facts = what->facts;
    std::string on = std::to_string(ranks.front());
    if (ranks.size() == all.size() && all.size() > 1) {
      on = "all " + std::to_string(all.size());
    } else {
      for (std::size_t i = 1; i < ranks.size() && i < 8; ++i) on += ", " + std::to_string(ranks[i]);
      if (ranks.size() > 8) on += " and " + std::to_string(ranks.size() - 8) + " more";
    }
    facts.push_back({ranks.size() == 1 ? "rank" : "ranks", on});
    reports.emplace_back(static_cast<error_code>(what->code), what->happened, std::move(facts),
                         what->help);
  }
  return reports;
}

}  // namespace deed::runtime
