// SPDX-License-Identifier: MIT
#include "analysis/ask/slack.hpp"

#include "analysis/ask/gate_openers.hpp"
#include "analysis/ask/last_cause.hpp"
#include "analysis/ask/same_tasks.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace deed::viewer {
namespace {

class backward_pass {
 public:
  explicit backward_pass(const model& of) : of_(of), openers_(gate_openers(of)) {
    for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
      const task& t = of.tasks()[i];
      if (t.begin == never || t.end == never) continue;
      order_.push_back(i);
      last_ = std::max(last_, t.end);
      for (const access& a : of.accesses(t))
        if (a.reads()) readers_.emplace_back(a.handle, a.ver_in, t.rank, i);
    }
    std::ranges::sort(readers_);
    // Who follows another begins later than it.
    std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
      const task &x = of.tasks()[a], &y = of.tasks()[b];
      return std::tuple(y.begin, y.end, b) < std::tuple(x.begin, x.end, a);
    });
  }

  std::vector<std::int64_t> run() {
    latest_.assign(of_.tasks().size(), last_);
    for (const std::uint32_t each : order_) pull(each);
    std::vector<std::int64_t> slack(of_.tasks().size(), never);
    for (const std::uint32_t each : order_)
      slack[each] = std::max<std::int64_t>(0, latest_[each] - of_.tasks()[each].end);
    return slack;
  }

 private:
  using reader = std::tuple<std::uint32_t, std::uint32_t, int, std::uint32_t>;

  /// What has to end before a task begins.
  void pull(std::uint32_t index) {
    const task& t = of_.tasks()[index];
    if (const auto next = begin_on_lane_.find(t.lane); next != begin_on_lane_.end())
      before(index, next->second);
    const std::int64_t begin = latest_[index] - (t.end - t.begin);
    begin_on_lane_[t.lane] = begin;
    for (const access& a : of_.accesses(t)) {
      if (const std::uint32_t writer = of_.writer(a.handle, a.ver_in); a.reads() && writer != none)
        before(writer, begin - on_the_way(a, of_.tasks()[writer].rank, t.rank));
      if (a.reads()) opener_before(a, t.rank, begin);
      if (a.writes()) readers_before(a, index, begin);
    }
  }
  /// Who opened the gate of the message that brought it.
  void opener_before(const access& a, int rank, std::int64_t begin) {
    if (openers_.empty()) return;
    const transfer* const x = arrival(of_, a.handle, a.ver_in, rank);
    if (x == nullptr) return;
    const auto gate = openers_.find(static_cast<std::uint32_t>(x - of_.transfers().data()));
    if (gate == openers_.end()) return;
    const std::int64_t opened = of_.tasks()[gate->second.task].end;
    before(gate->second.task, begin - std::max<std::int64_t>(0, x->done_receive - opened));
  }
  /// On other ranks tasks read copies, which nobody overwrites.
  void readers_before(const access& a, std::uint32_t index, std::int64_t begin) {
    const auto key = std::tuple(a.handle, a.ver_in, of_.tasks()[index].rank);
    const auto same = [](const reader& each) {
      return std::tuple(std::get<0>(each), std::get<1>(each), std::get<2>(each));
    };
    for (const reader& each : std::ranges::equal_range(readers_, key, {}, same))
      if (std::get<3>(each) != index) before(std::get<3>(each), begin);
  }
  [[nodiscard]] std::int64_t on_the_way(const access& a, int from, int to) const {
    const transfer* const x = from == to ? nullptr : arrival(of_, a.handle, a.ver_in, to);
    return x == nullptr ? 0 : std::max<std::int64_t>(0, x->done_receive - x->on_the_wire());
  }
  void before(std::uint32_t index, std::int64_t moment) {
    latest_[index] = std::min(latest_[index], moment);
  }

  const model& of_;
  const std::unordered_map<std::uint32_t, gate_opener> openers_;  // Of the gates of transfers.
  std::vector<std::uint32_t> order_;                              // The last one first.
  std::vector<reader> readers_;
  std::vector<std::int64_t> latest_;  // By task: when it may end.
  std::map<std::uint32_t, std::int64_t>
      begin_on_lane_;  // When the task that was placed last may begin.
  std::int64_t last_ = 0;
};

}  // namespace

std::vector<std::int64_t> slack(const model& of) { return backward_pass(of).run(); }

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
