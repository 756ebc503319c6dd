// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/diff_data.hpp"
#include "analysis/ask/diff_failures.hpp"
#include "analysis/ask/same_tasks.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

struct happened {
  std::uint64_t times = 0;
  bool in_part = false;  // One of them.
};
using moves = std::map<std::string, happened>;  // Of each transfer.

moves transfers_by_name(const model& of, const run_part& part) {
  moves found;
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i) {
    const transfer& x = of.transfers()[i];
    if (x.never_took_place()) continue;
    happened& mine = found[version_name(of, x.handle, x.version) + ", rank " +
                           std::to_string(x.src) + " to rank " + std::to_string(x.dst)];
    ++mine.times;
    mine.in_part = mine.in_part || part.has_transfer(of, i);
  }
  return found;
}

/// What `one` has more of than `other`.
std::vector<std::string> more_in(const moves& one, const moves& other) {
  std::vector<std::string> found;
  for (const auto& [name, here] : one) {
    const auto at = other.find(name);
    const happened there = at == other.end() ? happened{} : at->second;
    if (here.times > there.times && (here.in_part || there.in_part)) found.push_back(name);
  }
  return found;
}

bool any_in_part(const moves& of) {
  return std::ranges::any_of(of, [](const auto& each) { return each.second.in_part; });
}

struct work {
  std::uint64_t tasks = 0;
  std::int64_t time = 0;
};

std::map<std::string, std::pair<work, work>> work_by_codelet(const model& a, const model& b,
                                                             const same_tasks& same) {
  std::map<std::string, std::pair<work, work>> found;
  const auto add = [&](const model& of, auto looked_at, work std::pair<work, work>::* side) {
    for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
      const task& t = of.tasks()[i];
      if (t.begin == never || t.end == never || !looked_at(i)) continue;
      work& mine = found[codelet_of(of, t)].*side;
      ++mine.tasks;
      mine.time += t.end - t.begin;
    }
  };
  add(a, [&](std::uint32_t i) { return same.has_a(i); }, &std::pair<work, work>::first);
  add(b, [&](std::uint32_t i) { return same.has_b(i); }, &std::pair<work, work>::second);
  return found;
}

cell mean(const work& of) {
  return of.tasks == 0 ? cell("-") : say_time(of.time / static_cast<std::int64_t>(of.tasks));
}

/// "+51 %": what a task takes more in the second run.
cell change_of(const work& first, const work& second) {
  if (first.tasks == 0 || second.tasks == 0 || first.time == 0) return "-";
  const double before = static_cast<double>(first.time) / static_cast<double>(first.tasks);
  const double after = static_cast<double>(second.time) / static_cast<double>(second.tasks);
  const double more = 100 * (after / before - 1);
  const long rounded = std::lround(more);
  return {(rounded > 0 ? "+" : "") + std::to_string(rounded) + " %", more, unit::percent};
}

/// "the first run takes 1.563 ms; 104 of 104 tasks ended".
std::string say_length(const char* which, const model& of) {
  const auto ended =
      std::ranges::count_if(of.tasks(), [](const task& t) { return t.end != never; });
  return "the " + std::string(which) + " run takes " + say_time(of.events().end()) + "; " +
         say_count(static_cast<std::uint64_t>(ended)) + " of " +
         say_some(of.tasks().size(), "task") + " ended";
}

/// What the times of virtual ranks are; empty where they are what a clock said.
std::string say_times_of(const char* which, const model& of) {
  std::string text = say_seed(seed_of(of.events()));
  if (text.empty()) text = say_no_flops(of);
  return text.empty() ? text : "the " + std::string(which) + " run: " + text;
}

/// Tasks of both runs that came to an end in one of them only.
table ended_in_one(const model& a, const model& b, const same_tasks& same, const failures& failed_a,
                   const failures& failed_b) {
  table found{
      "tasks that ended in one run only", {"task", "writes", "ended in", "in the other"}, {}};
  for (std::uint32_t i = 0; i < a.tasks().size(); ++i) {
    const std::uint32_t there = same.in_b(i);
    if (!same.has_a(i) || there == none) continue;
    const bool here = a.tasks()[i].end != never;
    if (here == (b.tasks()[there].end != never)) continue;
    found.rows.push_back({a.task_name(i), written_by(a, a.tasks()[i]),
                          here ? "the first" : "the second",
                          here ? how_it_ended(b, there, failed_b) : how_it_ended(a, i, failed_a)});
  }
  return found;
}

table tasks_table(const char* title, const char* column, const model& a,
                  const std::vector<task_difference>& tasks) {
  table found{title, {"task", "writes", column}, {}};
  for (const task_difference& each : tasks)
    found.rows.push_back({a.task_name(each.a), written_by(a, a.tasks()[each.a]), each.what});
  return found;
}

}  // namespace

answer diff(const model& a, const model& b, const same_tasks& same, bool with_times,
            const part_of_both& part) {
  constexpr std::size_t most_times = 20;
  answer said;
  const auto say = [&said](std::string sentence) {
    if (!sentence.empty()) said.sentences.push_back(std::move(sentence));
  };
  const failures failed_a(a, part.a), failed_b(b, part.b);
  say(say_failed("first", a, failed_a, with_times));
  say(say_failed("second", b, failed_b, with_times));
  if (part.a.is_whole() && with_times) {
    said.sentences.push_back(say_length("first", a));
    said.sentences.push_back(say_length("second", b));
  }
  if (with_times) {
    say(say_times_of("first", a));
    say(say_times_of("second", b));
  }
  table tasks = tasks_table("tasks that differ: first run / second run", "difference", a,
                            differing_tasks(a, b, same));
  said.sentences.push_back(say_some(same.both(), "task") + " in both runs, " +
                           say_count(same.only_a()) + " in the first only, " +
                           say_count(same.only_b()) + " in the second only");
  const auto alone_in_a = only_in_a(a, same, failed_a), alone_in_b = only_in_b(b, same, failed_b);
  say(say_alone("first", a, alone_in_a));
  say(say_alone("second", b, alone_in_b));
  table alone{"tasks in one run only", {"run", "task", "rank", "writes", "how it ended"}, {}};
  add_alone(alone, "first", a, alone_in_a, failed_a);
  add_alone(alone, "second", b, alone_in_b, failed_b);
  if (!tasks.rows.empty())
    said.sentences.push_back("the first difference: " + tasks.rows[0][0] + ", which writes " +
                             tasks.rows[0][1] + ": " + tasks.rows[0][2]);
  table ended = ended_in_one(a, b, same, failed_a, failed_b);
  if (!ended.rows.empty())
    said.sentences.push_back(say_some(ended.rows.size(), "task") +
                             " ended in one of the runs only; the first is " + ended.rows[0][0] +
                             ", in " + ended.rows[0][2]);
  const moves in_a = transfers_by_name(a, part.a), in_b = transfers_by_name(b, part.b);
  table transfers{"transfers that one run has more often", {"run", "transfer"}, {}};
  for (const std::string& each : more_in(in_a, in_b)) transfers.rows.push_back({"first", each});
  for (const std::string& each : more_in(in_b, in_a)) transfers.rows.push_back({"second", each});
  table times{"time of a task", {"codelet", "first", "second", "change"}, {}};
  for (const auto& [name, sides] : work_by_codelet(a, b, same)) {
    const cell change = change_of(sides.first, sides.second);
    times.rows.push_back({name, mean(sides.first), mean(sides.second), change});
  }
  table owners = owners_that_differ(a, b, part), results = results_in_other_order(a, b, part);
  const auto first_of = [&](const table& of, const char* what) {
    if (of.rows.empty()) return;
    const auto& row = of.rows[0];
    said.sentences.push_back(std::string(what) + row[0] + ", " + of.columns[1] + " " + row[1] +
                             ": " + row[2] + " / " + row[3]);
  };
  first_of(owners, "another owner: ");
  first_of(results, "another order of results: ");
  said.findings = same.only_a() + same.only_b() != 0 || !tasks.rows.empty() ||
                  !failed_alike(a, failed_a, b, failed_b) || !ended.rows.empty() ||
                  !transfers.rows.empty() || !owners.rows.empty() || !results.rows.empty();
  const bool anything =
      same.both() != 0 || any_in_part(in_a) || any_in_part(in_b) || part.a.is_whole();
  if (!said.findings)
    said.sentences.push_back(anything ? "they did the same, but for the time it took"
                                      : "nothing of either run is in this part");
  if (with_times) said.tables.push_back(std::move(times));
  for (table* const each : {&tasks, &alone, &ended, &transfers})
    said.tables.push_back(std::move(*each));
  if (with_times) {
    said.tables.push_back(tasks_table("tasks whose time changed most", "first / second", a,
                                      changed_times(a, b, same, most_times)));
  }
  for (table* const each : {&owners, &results})
    if (!each->rows.empty()) said.tables.push_back(std::move(*each));
  return said;
}

answer diff(const model& a, const model& b) { return diff(a, b, same_tasks(a, b), true); }

}  // namespace deed::viewer
