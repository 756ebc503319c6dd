// SPDX-License-Identifier: MIT
#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/gate_openers.hpp"
#include "analysis/ask/last_cause.hpp"
#include "analysis/ask/meetings.hpp"
#include "analysis/ask/receivers.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

/// A wait of a program that ended because of a task, of a transfer that was taken late, or of the
/// last rank that came to a meeting.
struct held_up {
  std::uint32_t task = none;
  std::uint32_t transfer = none;
  int awaited = -1;        ///< The rank that was late.
  std::int64_t cause = 0;  ///< When it came.
  std::int64_t end = 0;
};

/// What the programs of the ranks waited for.
class program_waits {
 public:
  explicit program_waits(const model& of) : of_(of), meetings_(of.met()) {
    constexpr std::uint32_t application = 2;
    for (const wait_span& each : of.waits()) {
      const lane& where = of.events().lanes()[each.lane];
      if (each.ended && where.kind == application) of_rank_[where.rank].push_back(&each);
    }
    for (std::uint32_t i = 0; i < of.tasks().size(); ++i)
      if (of.tasks()[i].begin != never && of.tasks()[i].end != never)
        ends_.emplace_back(of.tasks()[i].end, i);
    std::ranges::sort(ends_);
    for (std::uint32_t i = 0; i < of.transfers().size(); ++i)
      if (const transfer& x = of.transfers()[i]; x.receiver_was_late())
        taken_[x.src].emplace_back(x.done_send, i);
    for (auto& [rank, each] : taken_) std::ranges::sort(each);
    met_ = meetings_.all().size();
  }

  /// The last one on a rank before a moment; none: its program was never held up until then.
  /// Goes backwards only: of meetings that take no time, each is found once.
  [[nodiscard]] held_up before(int rank, std::int64_t moment) {
    const held_up wait = wait_before(rank, moment);
    const std::size_t met = meetings_.left(rank, moment, met_);
    if (met == met_) return wait;
    const meeting& each = meetings_.all()[met];
    const std::int64_t end = each.stays[static_cast<std::size_t>(rank)].to;
    if (end < wait.end) return wait;
    met_ = met;
    return {none, none, each.last, each.since, end};
  }

 private:
  [[nodiscard]] held_up wait_before(int rank, std::int64_t moment) const {
    const auto mine = of_rank_.find(rank);
    if (mine == of_rank_.end()) return {};
    const auto& waits = mine->second;  // By their begin.
    auto each = std::ranges::upper_bound(waits, moment, {}, &wait_span::begin);
    while (each != waits.begin()) {
      const wait_span& wait = **--each;
      if (wait.end > moment) continue;
      const std::uint32_t last = last_task(wait);
      const std::int64_t ended = last == none ? wait.begin : of_.tasks()[last].end;
      if (const std::uint32_t taken = taken_late(wait, rank, ended); taken != none) {
        const transfer& x = of_.transfers()[taken];
        return {none, taken, x.dst, x.done_send, wait.end};
      }
      if (last != none && ended > wait.begin) return {last, none, -1, ended, wait.end};
    }
    return {};
  }
  /// The last transfer that kept a program waiting for all, and its last tasks did not: it was
  /// asked for after them.
  [[nodiscard]] std::uint32_t taken_late(const wait_span& wait, int rank,
                                         std::int64_t tasks_ended) const {
    const auto mine = taken_.find(rank);
    if (mine == taken_.end() || static_cast<trace::wait_kind>(wait.what) != trace::wait_kind::all)
      return none;
    const auto after = std::ranges::upper_bound(mine->second, std::pair{wait.end, none});
    if (after == mine->second.begin()) return none;
    const std::uint32_t last = std::prev(after)->second;
    return of_.transfers()[last].post_receive > std::max(wait.begin, tasks_ended) ? last : none;
  }
  /// That ended before the wait did, of those that it was for.
  [[nodiscard]] std::uint32_t last_task(const wait_span& wait) const {
    const run& r = of_.events();
    const auto kind = static_cast<trace::wait_kind>(wait.what);
    if (kind == trace::wait_kind::all) {
      const auto after = std::ranges::upper_bound(ends_, std::pair{wait.end, none});
      return after == ends_.begin() ? none : std::prev(after)->second;
    }
    if (kind == trace::wait_kind::window) return last_on(r.lanes()[wait.lane].rank, wait.end);
    if (kind != trace::wait_kind::handle) return none;
    const auto handle = static_cast<std::size_t>(r.get(r.events()[wait.event], field::id));
    if (handle >= of_.data().size()) return none;
    const auto& writes = of_.data()[handle].writes;
    const auto after = std::ranges::upper_bound(writes, wait.end, {}, [&](std::uint32_t each) {
      return of_.tasks()[of_.all_accesses()[each].task].end;
    });
    return after == writes.begin() ? none : of_.all_accesses()[*std::prev(after)].task;
  }

  [[nodiscard]] std::uint32_t last_on(int rank, std::int64_t until) const {
    auto each = std::ranges::upper_bound(ends_, std::pair{until, none});
    while (each != ends_.begin())
      if (const std::uint32_t task = (--each)->second; of_.tasks()[task].rank == rank) return task;
    return none;
  }

  const model& of_;
  const meetings& meetings_;
  std::size_t met_ = 0;  // Those before are still to be looked at.
  std::map<int, std::vector<const wait_span*>> of_rank_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> ends_;                  // Of tasks.
  std::map<int, std::vector<std::pair<std::int64_t, std::uint32_t>>> taken_;  // Of transfers.
};

/// When a transfer was asked for, and by which rank; of a message, when its sender gave it away.
std::pair<std::int64_t, int> asked_for(const transfer& x) {
  if (x.is_message() && x.post_send != never) return {x.post_send, x.src};
  const bool by_sender =
      x.post_receive == never || (x.post_send != never && x.post_send < x.post_receive);
  return by_sender ? std::pair{x.post_send, x.src} : std::pair{x.post_receive, x.dst};
}

/// Its receiver asked for it when it could have come long ago: that took longer than the rest.
bool asked_for_late(const transfer& x, std::int64_t could_come) {
  return x.post_receive != never && could_come != never &&
         x.post_receive - could_come > x.done_receive - x.post_receive;
}

/// Goes backwards from a task to what it waited for last.
class backward_walk {
 public:
  explicit backward_walk(const model& of)
      : of_(of),
        waits_(of),
        receivers_(of),
        openers_(gate_openers(of)),
        from_(of.events().known_from()) {}

  std::vector<path_step> from(std::uint32_t last) {
    limit_ = of_.tasks()[last].end;
    std::vector<bool> seen(of_.tasks().size());
    for (std::uint32_t current = last; current != none && limit_ > from_;) {
      // Clocks that disagree must not make a circle; on virtual ranks tasks may take no time.
      seen[current] = true;
      const auto leads_back = [&](std::uint32_t next) {
        return next != none && of_.tasks()[next].end != never && !seen[next] &&
               of_.tasks()[next].begin <= of_.tasks()[current].begin;
      };
      std::uint32_t next = step(current);
      if (next != none && !leads_back(next)) {
        add("queueing", current, none, submitted(of_.tasks()[current]));
        next = submission(current, of_.tasks()[current].rank);
      }
      if (next != none && !leads_back(next)) {
        add("submission", current, none, 0);
        next = none;
      }
      current = next;
    }
    std::reverse(path_.begin(), path_.end());
    return std::move(path_);
  }

 private:
  static std::int64_t submitted(const task& t) {
    return t.submit == never ? 0 : std::min(t.submit, t.begin);
  }
  /// From `begin` to where the walk is.
  void add(const char* kind, std::uint32_t task, std::uint32_t transfer, std::int64_t begin,
           int program = -1) {
    begin = std::max(begin, from_);
    if (begin < limit_) path_.push_back({kind, task, transfer, begin, limit_, program});
    limit_ = std::min(limit_, begin);
  }

  std::uint32_t step(std::uint32_t current) {
    const task& t = of_.tasks()[current];
    add("compute", current, none, t.begin);
    const cause why = last_cause(of_, t);
    if (why.at == never || why.at <= submitted(t)) {
      add("queueing", current, none, submitted(t));
      return submission(current, t.rank);
    }
    add("queueing", current, none, why.at);
    const std::int64_t written = why.task == none ? never : of_.tasks()[why.task].end;
    if (why.sends) {
      const transfer& x = of_.transfers()[why.transfer];
      if (x.receiver_was_late() && x.post_receive > written) {
        add("network", current, why.transfer, x.post_receive);
        return submission(current, x.dst);
      }
      add("network", current, why.transfer, std::max(written, x.post_send));
      if (written < x.post_send) return submission(current, x.src);
    } else if (why.transfer != none) {
      const transfer& x = of_.transfers()[why.transfer];
      const auto [asked, by] = asked_for(x);
      const std::int64_t left = std::max(written, asked);
      const std::uint32_t before = receivers_.at_work(x, left, t.number);
      const std::int64_t could = before == none ? left : of_.tasks()[before].end;
      if (asked_for_late(x, could)) {
        add("network", current, why.transfer, x.post_receive);
        return submission(current, x.dst);
      }
      if (const auto gate = openers_.find(why.transfer);
          gate != openers_.end() && gate->second.when > could) {
        add("network", current, why.transfer, of_.tasks()[gate->second.task].end);
        return gate->second.task;
      }
      if (before != none) {
        const std::int64_t free = of_.tasks()[before].end;
        add("network", current, why.transfer, std::max(free, x.start_receive));
        add("receiver busy", current, why.transfer, free);
        return before;
      }
      add("network", current, why.transfer, left == never ? x.begin() : left);
      if (written < asked) return submission(current, by);  // The program was late.
    }
    return written == never ? submission(current, t.rank) : why.task;
  }

  /// The program submits one thing after the other; before the first it may have waited, for
  /// another program, too.
  std::uint32_t submission(std::uint32_t current, int rank) {
    for (;;) {
      const std::int64_t was = limit_;
      const held_up wait = waits_.before(rank, limit_);
      add("submission", current, none, wait.end, rank);
      add("wait", wait.task == none ? current : wait.task, none, wait.cause, rank);
      if (wait.awaited < 0) return wait.task;
      if (wait.transfer != none)
        add("network", current, wait.transfer, of_.transfers()[wait.transfer].post_receive);
      // Two that wait for each other at one moment, or before all is known, lead nowhere.
      if (limit_ <= from_ || (wait.transfer != none && limit_ == was)) return none;
      rank = wait.awaited;
    }
  }

  const model& of_;
  program_waits waits_;
  const receivers receivers_;
  const std::unordered_map<std::uint32_t, gate_opener> openers_;  // Of the gates of transfers.
  const std::int64_t from_;  // Before, not all causes are known.
  std::int64_t limit_ = 0;
  std::vector<path_step> path_;
};

}  // namespace

std::vector<path_step> critical_path(const model& of) {
  std::uint32_t last = none;
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    const task& t = of.tasks()[i];
    if (t.begin != never && t.end != never && (last == none || t.end > of.tasks()[last].end))
      last = i;
  }
  if (last == none) return {};
  return backward_walk(of).from(last);
}

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
  constexpr std::uint32_t application = 2;
  std::map<int, program_times> programs;
  for (const rank_info& each : of.events().ranks())
    if (each.present && part.has_rank(each.rank))
      programs.try_emplace(each.rank, std::max(time.from, each.first),
                           std::min(time.to, of.known_until(each.rank)));
  for (const wait_span& each : of.waits()) {
    const lane& where = of.events().lanes()[each.lane];
    if (const auto mine = programs.find(where.rank);
        mine != programs.end() && where.kind == application)
      mine->second.waits(wait_name(of, of.events().events()[each.event]), each.begin,
                         each.ended ? each.end : time.to);
  }
  table rows{title, {"rank", "what", "time"}, {}};
  for (auto& [rank, program] : programs)
    for (const auto& [what, spent] : program.all())
      rows.rows.push_back({std::to_string(rank), what, say_time(spent)});
  return rows;
}

/// A run that only sends messages, or was killed before a task had ended.
answer say_no_path(const model& of, const time_range& all, const run_part& part) {
  answer said;
  said.sentences = caveats(of);
  bool began = false;
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i)
    began = began || (of.tasks()[i].begin != never && part.has_task(of, i));
  std::uint64_t messages = 0;
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i)
    if (const transfer& x = of.transfers()[i];
        x.is_message() && x.has_left() && part.has_transfer(of, i))
      ++messages;
  std::string none_is = began ? "no task has ended" : "no task has run";
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

/// The session ends, or programs compute on.
void say_after_last_task(const model& of, const path_step& last, const time_range& all,
                         const run_part& part, answer& into) {
  const time_range rest{std::max(all.from, last.end), all.to};
  if (rest.to - rest.from <= (all.to - all.from) / 100 || part.has_query()) return;
  into.sentences.push_back("no task ended after " + of.task_on_rank(last.task) + ", at " +
                           say_time(last.end) + ": the other " + say_time(rest.to - rest.from) +
                           " are those of programs");
  into.tables.push_back(say_programs(of, rest, part, "what programs did after the last task"));
}

}  // namespace

answer say_critical_path(const model& of, const run_part& part) {
  return say_critical_path(of, critical_path(of), part);
}

answer say_critical_path(const model& of, std::vector<path_step> path, const run_part& part) {
  if (auto missing = not_recorded(of, {"task", "access", "xfer"})) return std::move(*missing);
  if (auto missing = not_known_in(of, part.range())) return std::move(*missing);
  const time_range all = looked_at(of.events(), part.range());
  const auto has_ended = [](const task& t) { return t.begin != never && t.end != never; };
  if (std::ranges::none_of(of.tasks(), has_ended)) return say_no_path(of, all, part);
  const std::optional<path_step> last = path.empty() ? std::nullopt : std::optional(path.back());
  std::erase_if(path, [&](const path_step& each) {
    if (!part.touches(each.begin, each.end)) return true;
    return each.transfer != none ? !part.has_transfer(of, each.transfer)
                                 : !part.has_task(of, each.task);
  });
  for (path_step& each : path) {
    each.begin = std::max(each.begin, all.from);
    each.end = std::min(each.end, all.to);
  }
  answer said;
  std::map<std::string, std::int64_t> kinds, codelets;
  std::int64_t total = 0;
  for (const path_step& each : path) {
    kinds[each.kind] += each.end - each.begin;
    total += each.end - each.begin;
    if (each.kind != "compute") continue;
    const task& t = of.tasks()[each.task];
    codelets[codelet_name(of, t)] += each.end - each.begin;
  }
  said.sentences = caveats(of);
  said.sentences.push_back("the longest chain of causes has " + say_some(path.size(), "step") +
                           " and takes " + say_time(total) + " of " + say_time(all.to - all.from));
  table meanwhile{"while tasks queued, their threads ran", {"codelet", "time"}, {}};
  for (const auto& [name, time] : ran_while_queueing(of, path))
    meanwhile.rows.push_back({name, say_time(time)});
  table by_kind{"by kind", {"kind", "time"}, {}};
  for (const auto& [kind, time] : kinds) by_kind.rows.push_back({kind, say_time(time)});
  table by_codelet{"compute by codelet", {"codelet", "time"}, {}};
  for (const auto& [name, time] : codelets) by_codelet.rows.push_back({name, say_time(time)});
  table steps{"steps", {"from", "to", "kind", "what"}, {}};
  for (const path_step& each : path) {
    std::string what = of.task_on_rank(each.task);
    if (each.program >= 0 && each.program != of.tasks()[each.task].rank)
      what += ", by the program of rank " + std::to_string(each.program);
    if (each.transfer != none) {
      const transfer& x = of.transfers()[each.transfer];
      what = of.handle_name(x.handle) + " v" + std::to_string(x.version) + " from rank " +
             std::to_string(x.src) + " to rank " + std::to_string(x.dst);
    }
    steps.rows.push_back({say_time(each.begin), say_time(each.end), each.kind, what});
    steps.links.push_back(each.transfer != none ? "transfer:" + std::to_string(each.transfer)
                                                : "task:" + std::to_string(each.task));
  }
  said.tables = {std::move(by_kind), std::move(by_codelet), std::move(meanwhile)};
  said.tables.push_back(std::move(steps));
  if (last) say_after_last_task(of, *last, all, part, said);
  return said;
}

}  // namespace deed::viewer
