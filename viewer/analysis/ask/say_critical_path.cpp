// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/device_copies.hpp"
#include "analysis/ask/device_work.hpp"
#include "analysis/ask/program_calls.hpp"
#include "analysis/ask/program_stays.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

std::string codelet_name(const model& of, const task& t) {
  return t.codelet < of.codelets().size() ? of.codelets()[t.codelet].name : "task";
}

/// A task that could run and did not: what its thread did instead, by codelet.
std::map<std::string, std::int64_t> ran_while_queueing(const model& of,
                                                       const std::vector<path_step>& path) {
  std::map<std::uint32_t, std::vector<const path_step*>> by_lane;  // By their begin.
  for (const path_step& each : path)
    if (each.kind == "queueing") by_lane[of.tasks()[each.task].lane].push_back(&each);
  for (auto& [lane, steps] : by_lane) std::ranges::sort(steps, {}, &path_step::begin);
  std::map<std::string, std::int64_t> found;
  for (const task& t : of.tasks()) {
    const auto mine = by_lane.find(t.lane);
    if (t.begin == never || t.end == never || mine == by_lane.end()) continue;
    auto each = std::ranges::upper_bound(mine->second, t.begin, {}, &path_step::begin);
    if (each != mine->second.begin()) --each;
    for (; each != mine->second.end() && (*each)->begin < t.end; ++each)
      if (const std::int64_t both =
              std::min(t.end, (*each)->end) - std::max(t.begin, (*each)->begin);
          both > 0)
        found[codelet_name(of, t)] += both;
  }
  return found;
}

/// What the program of a rank did in a time: by what it waited in, and the rest.
class program_times {
 public:
  program_times(std::int64_t from, std::int64_t to) : at_(from), end_(to) {}
  /// In the order of their begin.
  void waits(const std::string& in, std::int64_t from, std::int64_t to) {
    go_on("program", from);
    go_on(in, to);
  }
  [[nodiscard]] const std::map<std::string, std::int64_t>& all() {
    go_on("program", end_);
    return times_;
  }

 private:
  void go_on(const std::string& what, std::int64_t to) {
    to = std::min(to, end_);
    if (to > at_) times_[what] += to - at_;
    at_ = std::max(at_, to);
  }

  std::int64_t at_, end_;
  std::map<std::string, std::int64_t> times_;
};

/// Of a time in which no task led to another.
table say_programs(const model& of, const time_range& time, const run_part& part,
                   const std::string& title) {
  std::map<int, program_times> programs;
  for (const rank_info& each : of.events().ranks())
    if (each.present && part.has_rank(each.rank))
      programs.try_emplace(each.rank, std::max(time.from, each.first),
                           std::min(time.to, of.known_until(each.rank)));
  for (const wait_span& each : of.waits()) {
    const lane& where = of.events().lanes()[each.lane];
    if (const auto mine = programs.find(where.rank); mine != programs.end() && where.is_program())
      mine->second.waits(wait_name(of, of.events().events()[each.event]), each.begin,
                         end_of_wait(of, each));
  }
  table rows{title, {"rank", "what", "time"}, {}};
  for (auto& [rank, program] : programs)
    for (const auto& [what, spent] : program.all())
      rows.rows.push_back({std::to_string(rank), what, say_time(spent)});
  return rows;
}

bool any_ran(const model& of, const run_part& part) {
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i)
    if (of.tasks()[i].begin != never && part.has_task(of, i)) return true;
  return false;
}

/// A run that only sends messages, or was killed before a task had ended.
answer say_no_path(const model& of, const time_range& all, const run_part& part) {
  answer said;
  said.sentences = caveats(of);
  std::uint64_t messages = 0;
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i)
    if (const transfer& x = of.transfers()[i];
        x.is_message() && !x.never_took_place() && part.has_transfer(of, i))
      ++messages;
  std::string none_is = any_ran(of, part) ? "no task has taken time" : "no task has run";
  if (!part.is_whole()) none_is += " in this part";
  if (messages != 0)
    none_is +=
        ", and " + say_some(messages, "message") + (messages == 1 ? " was" : " were") + " sent";
  said.sentences.push_back(none_is +
                           ": a critical path leads from task to task, so that there is none; "
                           "`waits` says which rank waited for which");
  said.tables.push_back(say_programs(of, all, part, "what programs did"));
  return said;
}

/// Tasks beside the one to which the path leads: of virtual ranks, which end with their process
/// where one of them leaves it. "" where there are none.
std::string say_left_tasks(const model& of, std::uint32_t leads_to) {
  const auto is_left = [](const rank_info& each) {
    return each.clock_kind == "virtual" && each.is_cut();
  };
  if (std::ranges::none_of(of.events().ranks(), is_left)) return {};
  std::uint64_t count = 0;
  std::uint32_t first = none;
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    const task& t = of.tasks()[i];
    if (t.begin == never || t.end != never || i == leads_to) continue;
    ++count;
    if (first == none || t.begin < of.tasks()[first].begin) first = i;
  }
  if (count == 0) return {};
  return of.task_on_rank(first) + ", begun at " + say_time(of.tasks()[first].begin) +
         (count > 1 ? ", and " + say_some(count - 1, "task") + " more" : ",") +
         " did not end: the process of virtual ranks did, and how long " +
         (count == 1 ? "it ran is not known" : "they ran is not known");
}

/// The session ends, or programs compute on.
void say_after_last_task(const model& of, const path_step& last, const time_range& all,
                         const run_part& part, answer& into) {
  const time_range rest{std::max(all.from, last.end), all.to};
  const task& t = of.tasks()[last.task];
  const std::string name = of.task_on_rank(last.task), other = say_time(rest.to - rest.from);
  const bool ended = t.end != never && !t.threw();
  if (!ended)
    into.sentences.push_back("it leads to " + name +
                             (t.threw() ? ", which threw" : ", which did not end"));
  if (std::string left = say_left_tasks(of, last.task); !left.empty())
    into.sentences.push_back(std::move(left));
  if (rest.to - rest.from <= (all.to - all.from) / 100 || part.has_query()) return;
  into.sentences.push_back(ended ? "no task ended after " + name + ", at " + say_time(last.end) +
                                       ": the other " + other + " are those of programs"
                                 : "the last record is " + other + " later");
  into.tables.push_back(say_programs(
      of, rest, part, ended ? "what programs did after the last task" : "what programs did then"));
}

/// ", message tag 7, sent at heat.cpp:40, received at heat.cpp:57".
std::string say_call(const model& of, std::uint32_t message) {
  std::string text = ", message tag " + std::to_string(of.tag_of(of.transfers()[message]));
  if (const std::string line = of.sent_at(message); !line.empty()) text += ", sent at " + line;
  if (const std::string line = of.received_at(message); !line.empty())
    text += ", received at " + line;
  return text;
}

/// Before a task was inserted, a program called for other things, or did most of the time something
/// by itself: then that is what it is called.
void name_own_work(const program_calls& calls, std::vector<path_step>& path) {
  for (path_step& each : path)
    if (each.kind == "submission" && each.program >= 0 &&
        calls.between_far_calls(each.program, {each.begin, each.end}) > (each.end - each.begin) / 2)
      each.kind = "program";
}

/// ", between heat.cpp:40 and heat.cpp:47", of most of it.
std::string say_own_work(const program_calls& calls, const path_step& of) {
  const auto parts = calls.between({{of.program, {{of.begin, of.end}}}});
  if (parts.empty()) return {};
  const bool all = parts.front().time > (of.end - of.begin) / 10 * 9;
  return (all ? ", " : ", " + say_time(parts.front().time) + " of it ") + calls.say(parts.front());
}

std::string what_of(const model& of, const program_calls& calls, const path_step& each) {
  if (each.copy != none) return say_copy(of, each.copy);
  if (each.transfer != none) {
    const transfer& x = of.transfers()[each.transfer];
    return version_name(of, x.handle, x.version) + " from rank " + std::to_string(x.src) +
           " to rank " + std::to_string(x.dst) +
           (x.is_message() ? say_call(of, each.transfer) : "");
  }
  if (each.borrowed != none)
    return of.handle_name(each.borrowed) + ", by the program of rank " +
           std::to_string(each.program);
  if (each.kind == "not started yet") return "rank " + std::to_string(each.program);
  if (each.kind == "comparing clocks")
    return "the program of rank " + std::to_string(each.program) + ", with other ranks";
  std::string what = of.task_on_rank(each.task);
  if (each.program >= 0 && each.program != of.tasks()[each.task].rank)
    what += ", by the program of rank " + std::to_string(each.program);
  if (each.kind == "program") what += say_own_work(calls, each);
  return what;
}

std::string link_of(const path_step& each) {
  if (each.transfer != none) return "transfer:" + std::to_string(each.transfer);
  if (each.copy != none) return "event:" + std::to_string(each.copy);
  return "task:" + std::to_string(each.task);
}

/// Of a task on its thread, and of less than a hundredth of the path: what takes longer is seen.
bool is_brief(const path_step& each, std::int64_t total) {
  return each.transfer == none && each.copy == none && each.borrowed == none && each.program < 0 &&
         each.end - each.begin < total / 100;
}

/// Brief steps of tasks that repeat, each with its codelet and its thread.
struct repeated_steps {
  std::size_t steps = 1;
  std::size_t period = 1;  ///< So many tasks are repeated.
};

/// From the first step on, if they repeat more than a few times; else one step. Cost: O(what it
/// returns), and of few tasks as much.
repeated_steps steps_alike(const model& of, std::span<const path_step> path, std::int64_t total,
                           std::size_t period) {
  constexpr std::size_t few = 4;
  std::vector<std::size_t> begins;  // Of each task, its first step.
  std::size_t count = 0;
  const auto at = [&](std::size_t number) -> const task& {
    return of.tasks()[path[begins[number]].task];
  };
  for (; count < path.size() && is_brief(path[count], total); ++count) {
    if (count != 0 && path[count].task == path[count - 1].task) continue;
    begins.push_back(count);
    const std::size_t last = begins.size() - 1;
    if (last < period) continue;
    if (at(last).codelet == at(last - period).codelet && at(last).lane == at(last - period).lane)
      continue;
    begins.pop_back();
    break;
  }
  const std::size_t whole = begins.size() / period * period;
  if (whole <= few * period) return {};
  return {whole == begins.size() ? count : begins[whole], period};
}

/// Of the shortest period with which they do: tasks of one codelet, or of a few that take turns.
repeated_steps steps_alike(const model& of, std::span<const path_step> path, std::int64_t total) {
  constexpr std::size_t longest = 4;
  for (std::size_t period = 1; period <= longest; ++period)
    if (const repeated_steps found = steps_alike(of, path, total, period); found.steps > 1)
      return found;
  return {};
}

/// "compute 81.9 us, queueing 70 ns".
std::string say_kinds(std::span<const path_step> alike) {
  std::map<std::string_view, std::int64_t> kinds;
  for (const path_step& each : alike) kinds[each.kind] += each.end - each.begin;
  std::string text;
  for (const auto& [kind, time] : kinds)
    text += (text.empty() ? "" : ", ") + std::string(kind) + " " + say_time(time);
  return text;
}

std::string say_thread(const model& of, const task& t) {
  return t.lane == none ? "rank " + std::to_string(t.rank) : say_lane(of.events(), t.lane);
}

/// "100 times step, from step#0 to step#99, on rank 0 w00"; "50 times push, pop, from …".
std::string say_alike(const model& of, std::span<const path_step> alike, std::size_t period) {
  std::size_t tasks = 0;
  std::uint32_t last = none;
  std::string names;
  std::vector<std::string> threads;
  for (const path_step& each : alike) {
    if (std::exchange(last, each.task) == each.task || ++tasks > period) continue;
    names += (names.empty() ? "" : ", ") + codelet_name(of, of.tasks()[each.task]);
    if (std::string thread = say_thread(of, of.tasks()[each.task]);
        std::ranges::find(threads, thread) == threads.end())
      threads.push_back(std::move(thread));
  }
  std::string where;
  for (const std::string& each : threads) where += (where.empty() ? ", on " : " and ") + each;
  return say_count(tasks / period) + " times " + names + ", from " +
         of.task_label(alike.front().task) + " to " + of.task_label(last) + where;
}

/// Of one step, or of those that repeat.
void add_line(const model& of, const program_calls& calls, std::span<const path_step> steps,
              std::size_t period, std::int64_t total, table& into) {
  const path_step& first = steps.front();
  const bool one = steps.size() == 1;
  std::int64_t time = 0;
  for (const path_step& each : steps) time += each.end - each.begin;
  into.rows.push_back({say_time(first.begin), say_time(steps.back().end), say_time(time),
                       say_share(time, total), one ? std::string(first.kind) : say_kinds(steps),
                       one ? what_of(of, calls, first) : say_alike(of, steps, period)});
  into.links.push_back(link_of(first));
}

}  // namespace

answer say_critical_path(const model& of, const run_part& part, bool every_step) {
  return say_critical_path(of, critical_path(of), part, every_step);
}

answer say_critical_path(const model& of, std::vector<path_step> path, const run_part& part,
                         bool every_step) {
  if (auto missing = not_recorded(of, {"task", "access", "xfer"})) return std::move(*missing);
  if (auto missing = not_known_in(of, part.range())) return std::move(*missing);
  const time_range all = looked_at(of.events(), part.range());
  if (path.empty()) return say_no_path(of, all, part);
  const std::optional<path_step> last = path.empty() ? std::nullopt : std::optional(path.back());
  std::erase_if(path, [&](const path_step& each) {
    if (!part.touches(each.begin, each.end)) return true;
    return each.transfer != none ? !part.has_transfer(of, each.transfer)
                                 : !part.has_task(of, each.task);
  });
  if (path.empty() && !part.is_whole() && !any_ran(of, part)) return say_no_path(of, all, part);
  for (path_step& each : path) {
    each.begin = std::max(each.begin, all.from);
    each.end = std::min(each.end, all.to);
  }
  const program_calls calls(of);
  name_own_work(calls, path);
  answer said;
  std::map<std::string_view, std::int64_t> kinds;
  std::map<std::string, std::int64_t> codelets;
  std::int64_t total = 0;
  for (const path_step& each : path) {
    kinds[each.kind] += each.end - each.begin;
    total += each.end - each.begin;
    if (each.kind != "compute") continue;
    const task& t = of.tasks()[each.task];
    codelets[codelet_name(of, t)] += each.end - each.begin;
  }
  said.sentences = caveats(of);
  if (std::string none_there = say_no_time_on_devices(of); !none_there.empty())
    said.sentences.push_back(std::move(none_there));
  said.sentences.push_back("the longest chain of causes has " + say_some(path.size(), "step") +
                           " and takes " + say_time(total) + " of " + say_time(all.to - all.from));
  table meanwhile{"while tasks queued, their threads ran", {"codelet", "time"}, {}};
  for (const auto& [name, time] : ran_while_queueing(of, path))
    meanwhile.rows.push_back({name, say_time(time)});
  table by_kind{"by kind", {"kind", "time"}, {}};
  for (const auto& [kind, time] : kinds)
    by_kind.rows.push_back({std::string(kind), say_time(time)});
  table by_codelet{"compute by codelet", {"codelet", "time"}, {}};
  for (const auto& [name, time] : codelets) by_codelet.rows.push_back({name, say_time(time)});
  table steps{"steps", {"from", "to", "time", "share", "kind", "what"}, {}};
  std::size_t folded = 0;
  for (std::span<const path_step> rest(path); !rest.empty();) {
    const auto [alike, period] = every_step ? repeated_steps{} : steps_alike(of, rest, total);
    add_line(of, calls, rest.first(alike), period, total, steps);
    folded += alike - 1;
    rest = rest.subspan(alike);
  }
  if (folded != 0)
    said.sentences.emplace_back(
        "brief tasks that repeat are one line; `critical-path --full` "
        "prints each step");
  said.tables = {std::move(by_kind), std::move(by_codelet), std::move(meanwhile)};
  said.tables.push_back(std::move(steps));
  if (last) say_after_last_task(of, *last, all, part, said);
  return said;
}

}  // namespace deed::viewer
