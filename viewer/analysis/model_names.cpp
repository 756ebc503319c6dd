// SPDX-License-Identifier: MIT
// What data, tasks, phases and lines are called.
#include "analysis/model.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace deed::viewer {

std::string as_recorded(std::string name) {
  const std::size_t open = name.rfind('('), close = name.find(')', open);
  if (open == std::string::npos || close == std::string::npos || close == open + 1) return name;
  if (name.substr(0, close).find_first_not_of("0123456789,*", open + 1) != std::string::npos)
    return name;
  name[open] = '[';
  name[close] = ']';
  return name;
}

/// Data of one name are told apart by their numbers; the name alone stands for the first of them.
void model::name_handles() {
  std::unordered_map<std::string, std::uint32_t> named;
  for (const datum& each : data_)
    if (each.known) ++named[each.name];
  for (std::uint32_t h = 0; h < data_.size(); ++h) {
    if (!data_[h].known) continue;
    handle_names_.try_emplace(data_[h].name, h);
    if (named[data_[h].name] > 1) data_[h].name += "#" + std::to_string(h);
    handle_names_.try_emplace(data_[h].name, h);
  }
}

void model::find_numbered_phases() {
  for (const phase_span& each : phases_) {
    const event e = run_->events()[each.event];
    if (run_->get(e, field::index) != 0)
      numbered_phases_.insert(by_rank(run_->rank_of(e), run_->get(e, field::name)));
  }
}

std::string model::phase_name(const phase_span& of) const {
  const event e = run_->events()[of.event];
  const int rank = run_->rank_of(e);
  const std::uint32_t name = run_->get32(e, field::name);
  std::string said = text(rank, name);
  if (said.empty()) said = "phase";
  if (!numbered_phases_.contains(by_rank(rank, name))) return said;
  return said + " " + std::to_string(static_cast<std::int64_t>(run_->get(e, field::index)));
}

std::string model::value_name(const value_series& of) const {
  std::string said = text(of.rank, of.name);
  return said.empty() ? "value" : said;
}

std::string model::handle_name(std::uint32_t handle) const {
  return handle < data_.size() && data_[handle].known ? data_[handle].name
                                                      : "#" + std::to_string(handle);
}

std::string model::task_name(int rank, std::uint64_t number) const {
  const std::uint32_t index = find_task(rank, number);
  return index == none ? "task " + std::to_string(number) : task_name(index);
}

std::string model::task_name(std::uint32_t index) const {
  return is_shared(tasks_[index].number) ? task_on_rank(index) : task_label(index);
}

std::string model::task_label(std::uint32_t index) const {
  const task& t = tasks_[index];
  return (t.codelet < codelets_.size() ? codelets_[t.codelet].name : "task") + "#" +
         std::to_string(t.number);
}

std::string model::task_on_rank(std::uint32_t index) const {
  return task_label(index) + " on rank " + std::to_string(tasks_[index].rank);
}

std::vector<std::uint32_t> model::tasks_called(const std::string& name) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < tasks_.size(); ++i)
    if (const std::string label = task_label(i);
        name.starts_with(label) && (name == label || name == task_on_rank(i)))
      found.push_back(i);
  return found;
}

std::string model::place(int rank, std::uint32_t loc) const {
  const auto found = places_.find(by_rank(rank, loc));
  return found == places_.end() ? "a line that was not recorded" : found->second;
}

bool model::is_place(int rank, std::uint32_t loc) const {
  return places_.contains(by_rank(rank, loc));
}

std::string model::text(int rank, std::uint32_t id) const {
  const auto found = texts_.find(by_rank(rank, id));
  return found == texts_.end() ? std::string{} : found->second;
}

std::string_view model::frames(int rank, std::uint32_t id) const {
  const auto found = frames_.find(by_rank(rank, id));
  return found == frames_.end() ? std::string_view{} : found->second;
}

std::optional<std::uint32_t> model::find_handle(const std::string& name) const {
  const auto found = handle_names_.find(name);
  if (found != handle_names_.end()) return found->second;
  if (const std::string recorded = as_recorded(name); recorded != name)
    return find_handle(recorded);
  if (!name.starts_with('#') || name.size() > 9) return {};
  std::uint32_t number = 0;
  for (const char c : name.substr(1)) {
    if (c < '0' || c > '9') return {};
    number = number * 10 + static_cast<std::uint32_t>(c - '0');
  }
  if (number >= data_.size()) return {};
  return number;
}

}  // namespace deed::viewer
