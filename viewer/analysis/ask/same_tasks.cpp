// SPDX-License-Identifier: MIT
#include "analysis/ask/same_tasks.hpp"

#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace deed::viewer {
namespace {

using named = std::vector<std::pair<std::string, std::uint32_t>>;

bool of_each_rank(const model& of, std::uint32_t handle) {
  return handle < of.data().size() && of.data()[handle].is_per_rank();
}

/// What a task writes first; of one that writes nothing, what it is and uses.
std::string name_of(const model& of, const task& t) {
  std::string name = written_by(of, t);
  if (!name.empty()) return name;
  name = codelet_of(of, t);
  bool on_each = false;
  for (const access& a : of.accesses(t)) {
    name += ", " + version_name(of, a.handle, a.ver_in);
    on_each = on_each || of_each_rank(of, a.handle);
  }
  return on_each ? name + " of rank " + std::to_string(t.rank) : name;
}

/// Those of one name in the order of their numbers: many tasks may read one version, or add to one
/// sum.
named by_name(const model& of) {
  named found;
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i)
    found.emplace_back(name_of(of, of.tasks()[i]), i);
  const auto key = [&](const auto& each) {
    const task& t = of.tasks()[each.second];
    return std::tuple<const std::string&, std::uint64_t, int>(each.first, t.number, t.rank);
  };
  std::ranges::sort(found, {}, key);
  return found;
}

std::string difference(const model& a, const task& x, const model& b, const task& y) {
  const auto used_a = a.accesses(x), used_b = b.accesses(y);
  std::string found;
  const auto say = [&](const std::string& more) { found += (found.empty() ? "" : "; ") + more; };
  if (codelet_of(a, x) != codelet_of(b, y))
    say("codelet " + codelet_of(a, x) + " / " + codelet_of(b, y));
  if (x.rank != y.rank) say("rank " + std::to_string(x.rank) + " / rank " + std::to_string(y.rank));
  if (x.status != y.status) say("ended otherwise");
  for (std::size_t i = 0; i < std::min(used_a.size(), used_b.size()); ++i)
    if (used_a[i].ver_in != used_b[i].ver_in)
      say(version_name(a, used_a[i].handle, used_a[i].ver_in) + " / v" +
          std::to_string(used_b[i].ver_in));
  if (used_a.size() != used_b.size()) say("other data");
  return found;
}

std::vector<bool> tasks_in(const model& of, const run_part& part) {
  std::vector<bool> found(of.tasks().size());
  for (std::uint32_t i = 0; i < found.size(); ++i) found[i] = part.has_task(of, i);
  return found;
}

std::int64_t took(const task& t) {
  return t.begin == never || t.end == never ? never : t.end - t.begin;
}

}  // namespace

std::string codelet_of(const model& of, const task& t) {
  return t.codelet < of.codelets().size() ? of.codelets()[t.codelet].name : "task";
}

std::string written_by(const model& of, const task& t) {
  const auto used = of.accesses(t);
  const auto written =
      std::find_if(used.begin(), used.end(), [](const access& a) { return a.writes(); });
  if (written == used.end()) return {};
  std::string name = of.handle_name(written->handle);
  if (of_each_rank(of, written->handle)) name += " of rank " + std::to_string(t.rank);
  return name + " v" + std::to_string(written->ver_out);
}

same_tasks::same_tasks(const model& a, const model& b, const part_of_both& part)
    : in_b_(a.tasks().size(), none),
      in_a_(b.tasks().size(), none),
      has_a_(tasks_in(a, part.a)),
      has_b_(tasks_in(b, part.b)) {
  const named of_a = by_name(a), of_b = by_name(b);
  auto there = of_b.begin();
  for (const auto& [name, index] : of_a) {
    while (there != of_b.end() && there->first < name) ++there;
    if (there == of_b.end() || there->first != name) {
      if (has_a_[index]) ++only_a_;
      continue;
    }
    const std::uint32_t other = there++->second;
    if (!has_a_[index] && !has_b_[other]) continue;
    has_a_[index] = has_b_[other] = true;
    in_b_[index] = other;
    in_a_[other] = index;
    ++both_;
  }
  for (const auto& [name, index] : of_b)
    if (has_b_[index] && in_a_[index] == none) ++only_b_;
}

std::vector<task_difference> differing_tasks(const model& a, const model& b,
                                             const same_tasks& same) {
  std::vector<task_difference> found;
  for (std::uint32_t i = 0; i < a.tasks().size(); ++i)
    if (const std::uint32_t there = same.in_b(i); there != none)
      if (std::string what = difference(a, a.tasks()[i], b, b.tasks()[there]); !what.empty())
        found.push_back({i, there, std::move(what)});
  std::stable_sort(found.begin(), found.end(),
                   [&](const task_difference& one, const task_difference& two) {
                     return a.tasks()[one.a].number < a.tasks()[two.a].number;
                   });
  return found;
}

std::vector<task_difference> changed_times(const model& a, const model& b, const same_tasks& same,
                                           std::size_t limit) {
  std::vector<std::pair<std::int64_t, std::uint32_t>> changes;  // Biggest first.
  for (std::uint32_t i = 0; i < a.tasks().size(); ++i) {
    const std::uint32_t there = same.in_b(i);
    if (there == none || codelet_of(a, a.tasks()[i]) != codelet_of(b, b.tasks()[there])) continue;
    const std::int64_t before = took(a.tasks()[i]), after = took(b.tasks()[there]);
    if (before != never && after != never && before != after)
      changes.emplace_back(-std::llabs(after - before), i);
  }
  const std::size_t shown = std::min(limit, changes.size());
  std::partial_sort(changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(shown),
                    changes.end());
  changes.resize(shown);
  std::vector<task_difference> found;
  for (const auto& [change, i] : changes)
    found.push_back(
        {i, same.in_b(i),
         say_time(took(a.tasks()[i])) + " / " + say_time(took(b.tasks()[same.in_b(i)]))});
  return found;
}

}  // namespace deed::viewer
