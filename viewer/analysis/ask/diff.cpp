// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

/// The name of a task in every run and on every rank: the first version it writes, which no other
/// task writes. Data go by name, for their numbers may differ.
std::map<std::string, std::uint32_t> tasks_by_name(const model& of) {
  std::map<std::string, std::uint32_t> found;
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    const auto used = of.accesses(of.tasks()[i]);
    const auto written =
        std::find_if(used.begin(), used.end(), [](const access& a) { return a.writes(); });
    if (written == used.end()) continue;
    std::string name = of.handle_name(written->handle);
    const bool per_rank =
        written->handle < of.data().size() && of.data()[written->handle].home == ~std::uint32_t{0};
    if (per_rank) name += " of rank " + std::to_string(of.tasks()[i].rank);
    found.emplace(name + " v" + std::to_string(written->ver_out), i);
  }
  return found;
}

std::string codelet_of(const model& of, const task& t) {
  return t.codelet < of.codelets().size() ? of.codelets()[t.codelet].name : "task";
}

using moves = std::map<std::string, std::uint64_t>;  // How often each transfer happened.

moves transfers_by_name(const model& of) {
  moves found;
  for (const transfer& x : of.transfers())
    ++found[of.handle_name(x.handle) + " v" + std::to_string(x.version) + ", rank " +
            std::to_string(x.src) + " to rank " + std::to_string(x.dst)];
  return found;
}

/// What `one` has more of than `other`.
std::vector<std::string> more_in(const moves& one, const moves& other) {
  std::vector<std::string> found;
  for (const auto& [name, count] : one) {
    const auto there = other.find(name);
    const std::uint64_t others = there == other.end() ? 0 : there->second;
    if (count > others) found.push_back(name);
  }
  return found;
}

struct work {
  std::uint64_t tasks = 0;
  std::int64_t time = 0;
};

std::map<std::string, std::pair<work, work>> work_by_codelet(const model& a, const model& b) {
  std::map<std::string, std::pair<work, work>> found;
  const auto add = [&](const model& of, work std::pair<work, work>::* side) {
    for (const task& t : of.tasks()) {
      if (t.begin == never || t.end == never) continue;
      work& mine = found[codelet_of(of, t)].*side;
      ++mine.tasks;
      mine.time += t.end - t.begin;
    }
  };
  add(a, &std::pair<work, work>::first);
  add(b, &std::pair<work, work>::second);
  return found;
}

std::string mean(const work& of) {
  return of.tasks == 0 ? "-" : say_time(of.time / static_cast<std::int64_t>(of.tasks));
}

/// Tasks that both runs have, and did otherwise; in the order of the first run.
table differing_tasks(const model& a, const model& b, std::uint64_t& only_a, std::uint64_t& only_b,
                      std::uint64_t& both) {
  const auto in_a = tasks_by_name(a), in_b = tasks_by_name(b);
  std::vector<std::pair<std::uint64_t, std::vector<std::string>>> rows;
  for (const auto& [name, index] : in_a) {
    const auto there = in_b.find(name);
    if (there == in_b.end()) {
      ++only_a;
      continue;
    }
    ++both;
    const task &x = a.tasks()[index], &y = b.tasks()[there->second];
    const auto used_a = a.accesses(x), used_b = b.accesses(y);
    std::string change;
    const auto say = [&](const std::string& more) {
      change += (change.empty() ? "" : "; ") + more;
    };
    if (codelet_of(a, x) != codelet_of(b, y))
      say("codelet " + codelet_of(a, x) + " / " + codelet_of(b, y));
    if (x.rank != y.rank) say("rank " + std::to_string(x.rank) + " / " + std::to_string(y.rank));
    if (x.status != y.status) say("ended otherwise");
    for (std::size_t i = 0; i < std::min(used_a.size(), used_b.size()); ++i)
      if (used_a[i].ver_in != used_b[i].ver_in)
        say(a.handle_name(used_a[i].handle) + " v" + std::to_string(used_a[i].ver_in) + " / v" +
            std::to_string(used_b[i].ver_in));
    if (used_a.size() != used_b.size()) say("other data");
    if (!change.empty()) rows.push_back({x.number, {a.task_name(index), name, change}});
  }
  only_b = in_b.size() - both;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& one, const auto& two) { return one.first < two.first; });
  table found{"tasks that differ: first run / second run", {"task", "writes", "difference"}, {}};
  for (auto& [number, row] : rows) found.rows.push_back(std::move(row));
  return found;
}

}  // namespace

answer diff(const model& a, const model& b) {
  answer said;
  std::uint64_t only_a = 0, only_b = 0, both = 0;
  table tasks = differing_tasks(a, b, only_a, only_b, both);
  said.sentences.push_back(say_some(both, "task") + " in both runs, " + say_count(only_a) +
                           " in the first only, " + say_count(only_b) + " in the second only");
  if (!tasks.rows.empty())
    said.sentences.push_back("the first difference: " + tasks.rows[0][0] + ", which writes " +
                             tasks.rows[0][1] + ": " + tasks.rows[0][2]);
  const moves in_a = transfers_by_name(a), in_b = transfers_by_name(b);
  table transfers{"transfers that one run has more often", {"run", "transfer"}, {}};
  for (const std::string& each : more_in(in_a, in_b)) transfers.rows.push_back({"first", each});
  for (const std::string& each : more_in(in_b, in_a)) transfers.rows.push_back({"second", each});
  table times{"time of a task", {"codelet", "first", "second", "change"}, {}};
  for (const auto& [name, sides] : work_by_codelet(a, b)) {
    std::string change = "-";
    if (sides.first.tasks != 0 && sides.second.tasks != 0 && sides.first.time != 0) {
      const double ratio =
          static_cast<double>(sides.second.time) / static_cast<double>(sides.second.tasks) /
          (static_cast<double>(sides.first.time) / static_cast<double>(sides.first.tasks));
      change = std::to_string(static_cast<int>(ratio * 100 + 0.5)) + " %";
    }
    times.rows.push_back({name, mean(sides.first), mean(sides.second), change});
  }
  said.findings = only_a + only_b != 0 || !tasks.rows.empty() || !transfers.rows.empty();
  if (!said.findings) said.sentences.push_back("they did the same, but for the time it took");
  said.tables = {std::move(tasks), std::move(transfers), std::move(times)};
  return said;
}

}  // namespace deed::viewer
