// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

/// By codelet: the median of what its tasks take. The last is of tasks without one.
std::vector<std::int64_t> usual_times(const model& of) {
  std::vector<std::vector<std::int64_t>> times(of.codelets().size() + 1);
  for (const task& t : of.tasks())
    if (t.begin != never && t.end != never)
      times[std::min<std::size_t>(t.codelet, of.codelets().size())].push_back(t.end - t.begin);
  std::vector<std::int64_t> usual;
  for (auto& each : times) {
    const auto middle = each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2);
    if (!each.empty()) std::nth_element(each.begin(), middle, each.end());
    usual.push_back(each.empty() ? 0 : *middle);
  }
  return usual;
}

}  // namespace

std::vector<late_task> late_tasks(const model& of, const run_part& part) {
  constexpr std::int64_t short_wait = 100'000;  // A thread that slept may take so long to wake up.
  const auto usual = usual_times(of);
  using begin_of_task = std::pair<std::int64_t, std::uint32_t>;  // What is compared lies together.
  std::vector<begin_of_task> order;
  order.reserve(of.tasks().size());
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) order.emplace_back(of.tasks()[i].begin, i);
  std::ranges::sort(order, {}, &begin_of_task::first);
  std::vector<std::int64_t> free_since(of.events().lanes().size());
  std::vector<late_task> found;
  for (const auto& [begin, index] : order) {
    const task& t = of.tasks()[index];
    if (begin == never || t.lane >= free_since.size()) continue;
    const std::int64_t since = std::max(free_since[t.lane], t.ready);
    free_since[t.lane] = std::max(free_since[t.lane], of.end_of(t));
    if (t.ready == never || !of.events().lanes()[t.lane].is_worker()) continue;
    const std::int64_t typical = usual[std::min<std::size_t>(t.codelet, of.codelets().size())];
    if (t.begin - since > std::max(short_wait, typical) && part.has_task(of, index))
      found.push_back({index, since});
  }
  return found;
}

}  // namespace deed::viewer
