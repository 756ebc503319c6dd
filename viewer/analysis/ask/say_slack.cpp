// SPDX-License-Identifier: MIT
#include "analysis/ask/same_tasks.hpp"
#include "analysis/ask/slack.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace deed::viewer {

std::vector<table> say_slack(const model& of, const std::vector<std::int64_t>& all,
                             const run_part& part, std::size_t most) {
  std::vector<std::uint32_t> order;
  std::map<std::string, std::vector<std::int64_t>> of_codelet;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (all[i] == never || !part.has_task(of, i)) continue;
    order.push_back(i);
    of_codelet[codelet_of(of, of.tasks()[i])].push_back(all[i]);
  }
  table codelets{"how much later tasks could have ended",
                 {"codelet", "tasks", "not at all", "min", "median", "max"},
                 {}};
  for (auto& [name, times] : of_codelet) {
    std::ranges::sort(times);
    const auto none_at_all = static_cast<std::uint64_t>(std::ranges::count(times, 0));
    codelets.rows.push_back({name, say_count(times.size()), say_count(none_at_all),
                             say_time(times.front()), say_time(times[(times.size() - 1) / 2]),
                             say_time(times.back())});
  }
  table tasks{"task by task", {"slack", "task", "rank", "began", "ended"}, {}};
  const std::size_t shown = std::min(most, order.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(shown), {},
                            [&](std::uint32_t each) { return std::pair(all[each], each); });
  tasks.left_out = order.size() - shown;
  order.resize(shown);
  for (const std::uint32_t each : order) {
    const task& t = of.tasks()[each];
    tasks.rows.push_back({say_time(all[each]), of.task_name(each), std::to_string(t.rank),
                          say_time(t.begin), say_time(t.end)});
    tasks.links.push_back("task:" + std::to_string(each));
  }
  return {std::move(codelets), std::move(tasks)};
}

}  // namespace deed::viewer
