// SPDX-License-Identifier: MIT
#include "value_log.hpp"

#include "report.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace deed::runtime {

void value_log::add(place where, std::string name, std::uint64_t hash) {
  values_.push_back({where, std::move(name), hash});
}

std::string value_log::told(std::size_t index) const {
  if (index >= values_.size()) return "has ended";
  return "has " + quoted(values_[index].name) + " at `wait()` at " +
         to_string(values_[index].where);
}

std::optional<error> value_log::difference_to(const value_log& pruned) const {
  const std::size_t both = std::min(values_.size(), pruned.values_.size());
  constexpr std::string_view help =
      "ask `session.relevant(…)` with what the task names, and let it decide about that task alone";
  std::size_t i = 0;
  while (i < both && values_[i].is_like(pruned.values_[i])) {
    const value& all = values_[i];
    if (all.hash != pruned.values_[i].hash) {
      return error(error_code::guard_forgets,
                   quoted(all.name) + " has another value where tasks are left out",
                   {{"differs", "at `wait()` at " + to_string(all.where)},
                    {"compared", "with a run in which every rank inserts every task"}},
                   help);
    }
    ++i;
  }
  if (i == values_.size() && i == pruned.values_.size()) return std::nullopt;
  return error(error_code::guard_forgets, "the program goes another way where tasks are left out",
               {{"all tasks", told(i)}, {"left out", pruned.told(i)}}, help);
}

}  // namespace deed::runtime
