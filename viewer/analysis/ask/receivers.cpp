// SPDX-License-Identifier: MIT
#include "analysis/ask/receivers.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace deed::viewer {

receivers::receivers(const model& of)
    : of_(of),
      tasks_(static_cast<std::size_t>(of.ranks())),
      threads_(static_cast<std::size_t>(of.ranks())) {
  fastest_.fill(never);
  const auto known = [&](int rank) { return rank >= 0 && rank < of.ranks(); };
  for (const lane& each : of.events().lanes())
    if (known(each.rank) && (each.is_worker() || each.is_program()))
      ++threads_[static_cast<std::size_t>(each.rank)];
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i)
    if (const task& t = of.tasks()[i]; known(t.rank) && t.begin != never && t.end != never)
      tasks_[static_cast<std::size_t>(t.rank)].emplace_back(t.end, i);
  for (auto& each : tasks_) std::ranges::sort(each);
  for (const transfer& x : of.transfers()) {
    if (x.done_receive == never || x.on_the_wire() == never || x.done_receive < x.on_the_wire())
      continue;
    const std::int64_t took = x.done_receive - x.on_the_wire();
    std::int64_t& fastest = fastest_[static_cast<std::size_t>(std::bit_width(x.bytes))];
    fastest = fastest == never ? took : std::min(fastest, took);
  }
}

bool receivers::uses(std::uint32_t task, std::uint32_t handle) const {
  return std::ranges::any_of(of_.accesses(of_.tasks()[task]),
                             [&](const access& a) { return a.handle == handle; });
}

/// The last to end until a moment.
std::uint32_t receivers::last_task(int rank, std::int64_t until) const {
  const auto& mine = tasks_[static_cast<std::size_t>(rank)];
  const auto after = std::ranges::upper_bound(mine, std::pair{until, none});
  return after == mine.begin() ? none : std::prev(after)->second;
}

/// Of those that the program inserted before the one a transfer is for, the last to end before its
/// receiver began to look; one that uses the datum, if there is one.
std::uint32_t receivers::last_user(const transfer& x, std::uint64_t number) const {
  constexpr int few = 100;  // A datum that is asked for again was used not long ago.
  const auto& mine = tasks_[static_cast<std::size_t>(x.dst)];
  auto each = std::ranges::upper_bound(mine, std::pair{x.start_receive, none});
  std::uint32_t found = none;
  for (int looked = 0; looked < few && each != mine.begin(); ++looked) {
    const std::uint32_t index = (--each)->second;
    if (of_.tasks()[index].number >= number) continue;
    if (uses(index, x.handle)) return index;
    if (found == none) found = index;
  }
  return found;
}

std::uint32_t receivers::at_work(const transfer& x, std::int64_t left, std::uint64_t number) const {
  if (x.dst < 0 || x.dst >= of_.ranks() || x.done_receive == never) return none;
  const bool looked_late = x.start_receive > left;
  const std::uint32_t before =
      looked_late ? last_user(x, number) : last_task(x.dst, x.done_receive);
  if (before == none || of_.tasks()[before].end <= left) return none;
  if (looked_late) return before;
  if (threads_[static_cast<std::size_t>(x.dst)] != 1) return none;  // Another may have listened.
  if (of_.tasks()[before].begin == of_.tasks()[before].end) return none;  // Nor kept it from it.
  const std::int64_t fastest = fastest_[static_cast<std::size_t>(std::bit_width(x.bytes))];
  const std::int64_t wire = fastest == never ? 0 : fastest;
  const std::int64_t free = of_.tasks()[before].end;
  const bool at_once = x.done_receive - free < wire;
  return at_once && left + wire <= free ? before : none;
}

}  // namespace deed::viewer
