// SPDX-License-Identifier: MIT
#include "analysis/ask/run_part.hpp"

#include <algorithm>
#include <utility>

namespace deed::viewer {

run_part::run_part(const model& of, std::optional<time_range> range, std::set<int> ranks,
                   const std::string& query)
    : range_(range), ranks_(std::move(ranks)) {
  if (query.empty()) return;
  query_ = parse_query(query);
  tasks_.resize(of.tasks().size());
  transfers_.resize(of.transfers().size());
  for (const event& e : of.events().events()) {
    const std::uint32_t task = task_of(of, e), transfer = transfer_of(of, e);
    const bool known = (task == none || tasks_[task]) && (transfer == none || transfers_[transfer]);
    if (known || !query_(of, e)) continue;
    if (task != none) tasks_[task] = true;
    if (transfer != none) transfers_[transfer] = true;
  }
}

bool run_part::touches(std::int64_t begin, std::int64_t end) const {
  if (!range_) return true;
  return begin != never && begin <= range_->to && (end == never || end >= range_->from);
}

bool run_part::has(const model& of, const event& e) const {
  return touches(e.time, e.time) && chooses(of, e);
}

bool run_part::chooses(const model& of, const event& e) const {
  return has_rank(of.events().rank_of(e)) && (!query_ || query_(of, e));
}

bool run_part::has_datum(const model& of, std::uint32_t handle) const {
  if (is_whole()) return true;
  if (handle >= of.data().size()) return false;
  const auto& events = of.events().events();
  return std::ranges::any_of(of.events_of(handle),
                             [&](std::uint32_t index) { return has(of, events[index]); });
}

std::vector<bool> run_part::ranks_of_datum(const model& of, std::uint32_t handle) const {
  std::vector<bool> found(static_cast<std::size_t>(of.ranks()));
  for (const std::uint32_t index : of.events_of(handle)) {
    const event e = of.events().events()[index];
    const auto rank = static_cast<std::size_t>(of.events().rank_of(e));
    if (rank < found.size() && !found[rank]) found[rank] = chooses(of, e);
  }
  return found;
}

bool run_part::has_span(const model& of, std::uint32_t event, std::int64_t begin,
                        std::int64_t end) const {
  return is_whole() || (touches(begin, end) && chooses(of, of.events().events()[event]));
}

bool run_part::has_task(const model& of, std::uint32_t index) const {
  const task& t = of.tasks()[index];
  return touches(t.begin, t.end) && has_rank(t.rank) && (!query_ || tasks_[index]);
}

bool run_part::has_transfer(const model& of, std::uint32_t index) const {
  const transfer& x = of.transfers()[index];
  return touches(x.on_the_wire(), x.end()) && (has_rank(x.src) || has_rank(x.dst)) &&
         (!query_ || transfers_[index]);
}

}  // namespace deed::viewer
