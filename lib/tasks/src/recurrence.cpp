// SPDX-License-Identifier: MIT
#include <deed/base/planted.hpp>
#include <deed/tasks/recurrence.hpp>

#include <algorithm>
#include <unordered_map>

namespace deed::tasks {
namespace {

/// Who uses a datum, as far as the next has to wait for them.
struct last_users {
  struct user {
    std::uint32_t step;
    bool before;  // In the iteration before.
  };
  std::vector<user> writer;  // One at most.
  std::vector<user> readers;

  [[nodiscard]] const std::vector<user>& ahead_of(bool writes) const noexcept {
    return writes && !readers.empty() ? readers : writer;
  }
  void add(user next, bool writes) {
    if (writes) {
      readers.clear();
      writer.assign(1, next);
    } else {
      readers.push_back(next);
    }
  }
  void end_iteration() {
    for (user& each : writer) each.before = true;
    for (user& each : readers) each.before = true;
  }
};

}  // namespace

/// The order on each datum, twice around: the second time, what comes from the first leads into the
/// next iteration. Sorted by where they come from, those into the next iteration last.
std::vector<recurrent_graph::found_edge> recurrent_graph::find() const {
  std::vector<found_edge> found;
  std::unordered_map<const void*, last_users> users;
  std::vector<bool> waits(steps_.size());
  for (const bool around : {false, true}) {
    for (std::uint32_t i = 0; i < steps_.size(); ++i) {
      const std::size_t end = i + 1 < steps_.size() ? steps_[i + 1].uses : uses_.size();
      for (std::size_t u = steps_[i].uses; u < end; ++u) {
        const auto [datum, writes] = uses_[u];
        last_users& of = users[datum];
        for (const last_users::user& each : of.ahead_of(writes)) {
          if (each.before != around || (each.step == i && !each.before)) continue;
          if (planted(planted_bug::next_iteration_early) && each.before && !of.readers.empty())
            continue;
          found.push_back({each.step, each.before, i});
          waits[i] = true;
        }
        of.add({i, false}, writes);
      }
    }
    for (auto& [_, of] : users) of.end_iteration();
  }
  // Two runs of one vertex never overlap, whatever it uses.
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    if (!waits[i]) found.push_back({i, true, i});
  }
  std::ranges::sort(found);
  const auto twice = std::ranges::unique(found);
  found.erase(twice.begin(), twice.end());
  return found;
}

std::vector<vertex*> recurrent_graph::start(std::uint64_t times) {
  if (edges_.empty()) edges_ = find();
  recurrences_.assign(steps_.size(), {});
  std::vector<std::uint32_t> at_first(steps_.size());
  successors_.clear();
  for (const found_edge& each : edges_) {
    successors_.push_back(steps_[each.to].what);
    ++recurrences_[each.to].waits_for;
    if (!each.again) ++at_first[each.to];
  }
  std::size_t next = 0;
  const auto take = [&](std::uint32_t from, bool again) {
    const std::size_t first = next;
    while (next < edges_.size() && edges_[next].from == from && edges_[next].again == again) ++next;
    return std::span<vertex* const>(successors_).subspan(first, next - first);
  };
  std::vector<vertex*> ready;
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    recurrences_[i].left = times;
    recurrences_[i].later = take(i, false);
    recurrences_[i].again = take(i, true);
    steps_[i].what->recur(recurrences_[i], at_first[i]);
    if (at_first[i] == 0) ready.push_back(steps_[i].what);
  }
  return ready;
}

}  // namespace deed::tasks
