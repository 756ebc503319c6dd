// SPDX-License-Identifier: MIT
#include <deed/base/error_code.hpp>
#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/call_causes.hpp"
#include "analysis/ask/datum_memories.hpp"
#include "analysis/ask/describe.hpp"
#include "analysis/ask/device_copies.hpp"
#include "analysis/ask/gate_openers.hpp"
#include "analysis/ask/last_cause.hpp"
#include "analysis/ask/program_waits.hpp"
#include "analysis/ask/receivers.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

/// When a transfer was asked for, and by which rank; of a message, when its sender gave it away.
std::pair<std::int64_t, int> asked_for(const transfer& x) {
  if (x.is_message() && x.post_send != never) return {x.post_send, x.src};
  const bool by_sender =
      x.post_receive == never || (x.post_send != never && x.post_send < x.post_receive);
  return by_sender ? std::pair{x.post_send, x.src} : std::pair{x.post_receive, x.dst};
}

/// Its receiver asked for it when it could have come: its sender had to keep it until then, or that
/// took longer than the rest.
bool asked_for_late(const transfer& x, std::int64_t could_come) {
  if (x.post_receive == never || could_come == never || x.post_receive <= could_come) return false;
  return x.receiver_was_late() || x.post_receive - could_come > x.done_receive - x.post_receive;
}

/// Its sender's program came late to the task that it is for: the datum was there and asked for,
/// and the rest took less.
bool sent_late(const transfer& x, std::int64_t could_leave) {
  return !x.is_message() && x.post_receive != never && x.post_send > could_leave &&
         x.post_send - could_leave > x.done_receive - x.post_send;
}

/// Where a path goes on: with a task, with a transfer, or with the program of a rank.
struct way_on {
  std::uint32_t task = none;
  std::uint32_t transfer = none;
  bool sends = false;  ///< Of the transfer: with its sender, which waited until it was taken.
  int program = -1;
  place_in_call call{};  ///< With who came to it last.
};

/// Goes backwards from a task to what it waited for last.
class backward_walk {
 public:
  explicit backward_walk(const model& of)
      : of_(of),
        calls_(of),
        waits_(of, calls_),
        receivers_(of),
        openers_(gate_openers(of)),
        copies_(of),
        from_(of.events().known_from()) {}

  /// `end`: of the last task, as far as it is known.
  std::vector<path_step> from(std::uint32_t last, std::int64_t end) {
    limit_ = end_ = end;
    std::vector<bool> seen(of_.tasks().size());
    for (std::uint32_t current = last; current != none && limit_ > from_;) {
      // Clocks that disagree must not make a circle; on virtual ranks tasks may take no time.
      seen[current] = true;
      const auto leads_back = [&](std::uint32_t next) {
        return next != none && of_.tasks()[next].end != never && !seen[next] &&
               of_.tasks()[next].begin <= begun(current).begin;
      };
      std::uint32_t next = step(current);
      if (next != none && !leads_back(next)) {
        add("queueing", current, none, submitted(begun(current)));
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
           int program = -1, std::uint32_t borrowed = none) {
    begin = std::max(begin, from_);
    const bool leads_to_it = path_.empty() && task != none && of_.tasks()[task].end == never &&
                             of_.tasks()[task].begin != never;
    if (begin < limit_ || leads_to_it)  // The one that failed may have taken no time.
      path_.push_back({kind, task, transfer, begin, limit_, program, borrowed});
    limit_ = std::min(limit_, begin);
  }

  void add_copy(const char* kind, std::uint32_t task, const device_copy& copy, std::int64_t begin) {
    const std::size_t before = path_.size();
    add(kind, task, none, begin);
    if (path_.size() > before) path_.back().copy = copy.event;
  }

  /// The last copy of what a task reads to the memory where it ran, if the task waited for it: it
  /// ended behind all else.
  [[nodiscard]] const device_copy* awaited_copy(const task& t, std::int64_t behind) const {
    const device_copy* last = nullptr;
    if (t.lane == none) return last;
    for (const access& a : of_.accesses(t)) {
      if (!a.reads()) continue;
      const device_copy* const each =
          copies_.last(a.handle, a.ver_in, memory_of(of_.events(), t.lane), t.begin);
      if (each != nullptr && each->end > std::max(behind, last == nullptr ? never : last->end))
        last = each;
    }
    return last;
  }

  /// Back to a moment: from one device to another a version may go by way of the host.
  void add_copies(std::uint32_t current, const device_copy& last, std::int64_t behind) {
    const device_copy* copy = &last;
    for (;;) {
      add_copy("copy", current, *copy, copy->begin);
      const device_copy* const before =
          copies_.last(copy->handle, copy->version, copy->from, copy->begin);
      // Of an emulated device all may be of one moment.
      if (before == nullptr || before->end <= behind || before->begin >= copy->begin) break;
      add_copy("queueing", current, *copy, before->end);
      copy = before;
    }
    add_copy("queueing", current, *copy, behind);
  }

  /// A copy that is made ahead of its task waits for its datum alone.
  cause before_copy(std::uint32_t current, const device_copy& copy, cause why) {
    const task& t = of_.tasks()[current];
    add("queueing", current, none, copy.end);
    if (copy.begin < why.at) why = cause_of_version(of_, t, copy.handle, copy.version);
    add_copies(current, copy, std::max(why.at, submitted(t)));
    return why;
  }

  /// One that failed on a device has no begin: it waited until then, as far as is known.
  [[nodiscard]] task begun(std::uint32_t current) const {
    task t = of_.tasks()[current];
    if (t.begin == never) t.begin = end_;
    return t;
  }

  std::uint32_t step(std::uint32_t current) {
    const task t = begun(current);
    add("compute", current, none, t.begin);
    cause why = last_cause(of_, t);
    if (const device_copy* const copy = awaited_copy(t, why.at); copy != nullptr)
      why = before_copy(current, *copy, why);
    if (const place_in_call call = calls_.that_released(t); call.call != none && t.ready > why.at) {
      add("queueing", current, none, t.ready);
      return follow(current, {.program = t.rank, .call = call}, trace::no_task);
    }
    if (why.at == never || why.at <= submitted(t)) {
      const bool by_other =
          static_cast<trace::ready_cause>(t.ready_cause) == trace::ready_cause::user;
      add("queueing", current, none, by_other ? std::max(t.ready, submitted(t)) : submitted(t));
      // The program had inserted it, and stands in a wait: what made it ready is not recorded.
      if (by_other && waits_.keeps(t.rank, t.ready)) add("wait", current, none, submitted(t));
      return submission(current, t.rank);
    }
    add("queueing", current, none, why.at);
    if (why.transfer != none)
      return follow(current, {.transfer = why.transfer, .sends = why.sends}, t.number);
    return why.task == none ? submission(current, t.rank) : why.task;
  }

  std::uint32_t submission(std::uint32_t current, int rank) {
    return follow(current, {.program = rank}, trace::no_task);
  }

  /// To the next task. A transfer is for the task with a number, if it is for one.
  std::uint32_t follow(std::uint32_t current, way_on to, std::uint64_t number) {
    constexpr int most_at_once = 1'000;  // On virtual ranks calls may take no time.
    for (int at_once = 0; to.task == none && limit_ > from_ && at_once < most_at_once; ++at_once) {
      const std::int64_t before = limit_;
      const bool by_call = to.call.call != none;
      if (!by_call && to.transfer == none && to.program < 0) return none;
      to = by_call               ? through_call(current, to)
           : to.transfer == none ? in_program(current, to.program)
           : to.sends            ? to_receiver(current, to.transfer)
                                 : to_sender(current, to.transfer, number);
      number = trace::no_task;
      if (limit_ < before) at_once = 0;
    }
    return to.task;
  }

  /// The program submits one thing after the other; before the first it may have waited, for
  /// another program, too.
  way_on in_program(std::uint32_t current, int rank) {
    const std::optional<held_up> wait = waits_.before(rank, limit_);
    add("submission", current, none, wait ? wait->end : began(rank), rank);
    if (!wait) {
      if (limit_ > from_) add("not started yet", current, none, from_, rank);
      return {};
    }
    if (wait->borrowed != none) {
      add("borrow", current, none, wait->cause, rank, wait->borrowed);
      return {.program = rank};
    }
    if (wait->by_clocks) {
      add("comparing clocks", current, none, wait->cause, rank);
      return {.program = rank};
    }
    add("wait", wait->task == none ? current : wait->task, none, wait->cause, rank);
    if (wait->call.call != none) return {.program = wait->awaited, .call = wait->call};
    const bool sends = wait->transfer != none && of_.transfers()[wait->transfer].src == rank;
    return {wait->task, wait->transfer, sends, wait->awaited};
  }

  /// A session records first of all that its ledger begins: what comes before, nobody knows.
  [[nodiscard]] std::int64_t began(int rank) const {
    const event_list& events = of_.events().events();
    const auto& lanes = of_.events().lanes();
    const auto program = std::ranges::find_if(lanes, [&](const lane& each) {
      return each.rank == rank && each.is_program() && each.events != 0;
    });
    if (from_ != 0 || program == lanes.end()) return from_;
    const auto mine = static_cast<std::uint32_t>(program - lanes.begin());
    for (std::uint32_t i = 0; i < events.size() && events.time(i) <= program->first; ++i)
      if (events.what(i) == record::ledger_step && events[i].lane == mine) return program->first;
    return from_;
  }

  /// To the rank that came to a call last, and to the task there that made what it gives, or to the
  /// call that brought that. Nobody knows who is last where a part was not recorded.
  way_on through_call(std::uint32_t current, const way_on& to) {
    const last_to_come last = calls_.last_of(to.call);
    if (last.rank < 0 || last.at > limit_) return {.program = to.program};
    const before_part before = calls_.before(last.place);
    add("wait", current, none, before.at == never ? last.at : before.at, last.rank);
    if (before.at != never) return {.task = before.task, .program = last.rank, .call = before.call};
    return {.program = last.rank};
  }

  /// From the end of a send.
  way_on to_receiver(std::uint32_t current, std::uint32_t index) {
    const transfer& x = of_.transfers()[index];
    const std::uint32_t writer = writer_of(of_, x);
    const std::int64_t written = end_of(writer);
    if (x.receiver_was_late() && x.post_receive > written) {
      add("network", current, index, x.post_receive);
      return {.program = x.dst};
    }
    return before_it_left(current, index, writer, {x.post_send, x.src});
  }

  /// From the arrival of a transfer.
  way_on to_sender(std::uint32_t current, std::uint32_t index, std::uint64_t number) {
    const transfer& x = of_.transfers()[index];
    const std::uint32_t writer = writer_of(of_, x);
    auto asked = asked_for(x);
    if (sent_late(x, std::max({end_of(writer), asked.first, came_at(x)})))
      asked = {x.post_send, x.src};
    const std::int64_t left = std::max({end_of(writer), asked.first, came_at(x)});
    const std::uint32_t before = receivers_.at_work(x, left, number);
    const std::int64_t could = before == none ? left : end_of(before);
    if (asked_for_late(x, could)) {
      add("network", current, index, x.post_receive);
      return {.program = x.dst};
    }
    if (const auto gate = openers_.find(index);
        gate != openers_.end() && gate->second.when > could) {
      add("network", current, index, end_of(gate->second.task));
      return {.task = gate->second.task};
    }
    if (before != none) {
      add("network", current, index, std::max(could, x.start_receive));
      add("receiver busy", current, index, could);
      return {.task = before};
    }
    return before_it_left(current, index, writer, asked);
  }

  /// It was written, it came to its sender, or a program was late to ask for it.
  way_on before_it_left(std::uint32_t current, std::uint32_t index, std::uint32_t writer,
                        std::pair<std::int64_t, int> asked) {
    const transfer& x = of_.transfers()[index];
    const std::int64_t written = end_of(writer);
    if (const std::uint32_t first = came_to_sender(of_, x); first != none) {
      const std::int64_t came = of_.transfers()[first].done_receive;
      if (came > std::max(written, asked.first) && came < limit_) {
        add("network", current, index, came);
        return {.transfer = first};
      }
    }
    const std::int64_t left = std::max(written, asked.first);
    const device_copy* const home = copies_.last(x.handle, x.version, {x.src, 0}, limit_);
    if (home != nullptr && home->end > left) {  // It came from a device first.
      add("network", current, index, home->end);
      add_copies(current, *home, left == never ? home->begin : left);
    }
    add("network", current, index, left == never ? x.begin() : left);
    if (writer != none && written >= asked.first) return {.task = writer};
    return {.program = asked.first == never ? x.dst : asked.second};
  }

  /// When it came to the sender that passes it on.
  [[nodiscard]] std::int64_t came_at(const transfer& x) const {
    const std::uint32_t first = came_to_sender(of_, x);
    return first == none ? never : of_.transfers()[first].done_receive;
  }

  [[nodiscard]] std::int64_t end_of(std::uint32_t task) const {
    return task == none ? never : of_.tasks()[task].end;
  }

  const model& of_;
  const call_causes calls_;
  program_waits waits_;
  const receivers receivers_;
  const std::unordered_map<std::uint32_t, gate_opener> openers_;  // Of the gates of transfers.
  const copies_of_versions copies_;
  const std::int64_t from_;  // Before, not all causes are known.
  std::int64_t limit_ = 0, end_ = 0;
  std::vector<path_step> path_;
};

}  // namespace

namespace {

/// Until when a thread is known to have been in the task that it did not end. Virtual ranks end
/// with their process: what one of them did behind its last record nobody knows.
std::int64_t known_in_task(const model& of, std::uint32_t lane) {
  const run& r = of.events();
  const int rank = r.lanes()[lane].rank;
  const auto here = std::ranges::find(r.ranks(), rank, &rank_info::rank);
  const std::int64_t until = of.lane_known_until(lane);
  const bool left = here != r.ranks().end() && here->clock_kind == "virtual" && here->is_cut();
  return left ? std::min(until, here->last) : until;
}

/// By task: until when one ran that has no end, because it failed or was killed, or runs. Behind
/// one whose end was lost its thread began another. One that failed may have begun on a device,
/// which tells of no task that did not end.
std::map<std::uint32_t, std::int64_t> open_tasks(const model& of) {
  std::vector<std::uint32_t> last(of.events().lanes().size(), none);
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i)
    if (const task& t = of.tasks()[i]; t.begin != never && t.lane < last.size())
      if (last[t.lane] == none || of.tasks()[last[t.lane]].begin <= t.begin) last[t.lane] = i;
  std::map<std::uint32_t, std::int64_t> found;
  for (const std::uint32_t i : last)
    if (i != none && of.tasks()[i].end == never) found[i] = known_in_task(of, of.tasks()[i].lane);
  for (const std::uint32_t each : of.failures()) {
    const event e = of.events().events()[each];
    const std::uint32_t task = task_that_failed(of, e);
    if (task == none || of.tasks()[task].end != never) continue;
    if (const auto failed = found.find(task); failed != found.end())
      failed->second = std::min(failed->second, e.time);
    else if (of.tasks()[task].begin == never)
      found[task] = e.time;
  }
  return found;
}

}  // namespace

namespace {

/// The task that threw what leaves a program out of a `wait()`, under `on_exception::propagate`:
/// the last before the report. `none`: the run ended otherwise.
std::uint32_t thrown_out_of_wait(const model& of) {
  const run& r = of.events();
  std::uint32_t found = none;
  if (of.failures().empty()) return found;
  const event first = r.events()[of.failures().front()];
  if (first.what != record::error || task_that_failed(of, first) != none) return found;
  if (r.get(first, field::code) != static_cast<std::uint64_t>(error_code::task_threw)) return found;
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i)
    if (const task& t = of.tasks()[i]; t.threw() && t.begin != never && t.end <= first.time)
      if (found == none || of.tasks()[found].end < t.end) found = i;
  return found;
}

}  // namespace

std::vector<path_step> critical_path(const model& of) {
  if (const std::uint32_t thrown = thrown_out_of_wait(of); thrown != none)
    return backward_walk(of).from(thrown, of.tasks()[thrown].end);
  std::uint32_t last = none;
  std::int64_t end = never;
  const auto take = [&](std::uint32_t task, std::int64_t ended) {
    if (ended > end) last = task, end = ended;
  };
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i)
    if (const task& t = of.tasks()[i]; t.begin != never && !t.was_cancelled()) take(i, t.end);
  // On virtual ranks others may end at the moment of the failure, before it: one that has no end is
  // what the run ended with, and first of all the one that failed.
  const std::map<std::uint32_t, std::int64_t> open = open_tasks(of);
  for (const auto& [task, until] : open) take(task, until);
  const auto take_at_end = [&](std::uint32_t task) {
    const auto found = open.find(task);
    if (found == open.end() || found->second != end) return false;
    last = task;
    return true;
  };
  if (last != none && of.tasks()[last].end != never)
    for (const auto& [task, until] : open)
      if (take_at_end(task)) break;
  for (const std::uint32_t each : of.failures())
    if (take_at_end(task_that_failed(of, of.events().events()[each]))) break;
  if (last == none) return {};
  return backward_walk(of).from(last, end);
}

}  // namespace deed::viewer
