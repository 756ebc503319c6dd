// SPDX-License-Identifier: MIT
#include <deed/trace/events.hpp>

#include "analysis/ask/blame.hpp"
#include "analysis/ask/last_cause.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

/// @file
/// Backwards from what a rank waited for to whom that waited for.

namespace deed::viewer {

/// Of tasks that made each other ready on one rank: the numbers of those before are smaller.
void blame::find_origins() {
  const auto& tasks = of_.tasks();
  const auto before = [&](std::uint32_t i) {
    const task& t = tasks[i];
    if (t.ready == never ||
        static_cast<trace::ready_cause>(t.ready_cause) != trace::ready_cause::task)
      return none;
    const std::uint32_t found = of_.find_task(t.rank, t.ready_by);
    return found != none && tasks[found].number < t.number ? found : none;
  };
  origins_.assign(tasks.size(), none);
  std::vector<std::uint32_t> chain;
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    std::uint32_t at = i;
    while (origins_[at] == none) {
      chain.push_back(at);
      const std::uint32_t next = before(at);
      next == none ? origins_[at] = at : at = next;
    }
    for (const std::uint32_t each : chain) origins_[each] = origins_[at];
    chain.clear();
  }
}

/// Each link leads further back, so that a chain as long as the run needs no deeper a stack. On
/// virtual ranks some take no time; of damaged files they may lead in a circle.
void blame::by_link(time_range when, link at, std::vector<bool>& above,
                    std::vector<blamed_part>& into) const {
  std::vector<blamed_part> found;
  constexpr int most_at_once = 1'000;
  for (int at_once = 0; at.is_known() && when.from < when.to && at_once < most_at_once; ++at_once) {
    const std::int64_t before = when.to;
    at = at.call.call != none  ? through_call(when, at.call, above, found)
         : at.sends            ? through_send(when, at.transfer, above, found)
         : at.transfer != none ? through_transfer(when, at.transfer, above, found)
                               : through_task(when, at.task, above, found);
    if (when.to < before) at_once = 0;
  }
  std::ranges::stable_sort(found, {}, [](const blamed_part& each) { return each.time.from; });
  into.insert(into.end(), found.begin(), found.end());
}

/// To the task of the rank that came last, to the call before, or to its program, if that called
/// late. What the network
/// takes behind is nobody's.
blame::link blame::through_call(time_range& when, const place_in_call& place,
                                std::vector<bool>& above, std::vector<blamed_part>& into) const {
  const last_to_come last = calls_.last_of(place);
  when.to = std::min(when.to, last.at);
  if (last.rank < 0 || when.from >= when.to) return {};
  if (const before_part before = calls_.before(last.place); before.at != never)
    return {.task = before.task, .call = before.call};
  const std::int64_t called =
      of_.met().calls().all()[last.place.call].parts[last.place.member].called;
  by_program({last.rank, when, called == never ? last.at : called, {}}, above, into);
  return {};
}

/// To what the first of the tasks waited for that made each other ready.
blame::link blame::through_task(time_range& when, std::uint32_t index, std::vector<bool>& above,
                                std::vector<blamed_part>& into) const {
  const task& t = of_.tasks()[origins_[index]];
  if (t.ready == never) {
    by_program({t.rank, when, t.submit, {}}, above, into);
    return {};
  }
  const std::int64_t ready = std::min(when.to, std::max(when.from, t.ready));
  const auto cause = static_cast<trace::ready_cause>(t.ready_cause);
  if (ready < when.to) into.push_back({t.rank, {ready, when.to}});
  when.to = ready;
  if (when.from >= when.to) return {};
  const link by = cause == trace::ready_cause::submit ? link() : released_by(t);
  if (!by.is_known()) by_program({t.rank, when, when.to, {}}, above, into);
  return by;
}

/// What made a task ready; not known: its program, or what nobody recorded.
blame::link blame::released_by(const task& t) const {
  const auto cause = static_cast<trace::ready_cause>(t.ready_cause);
  if (cause == trace::ready_cause::user) return by_call_or_sum(t);
  if (cause != trace::ready_cause::transfer) return {};
  if (const std::uint32_t send = awaited_send(of_, t); send != none)
    return {.transfer = send, .sends = true};
  return {.transfer = arrived(static_cast<std::uint32_t>(t.ready_by >> 32),
                              static_cast<std::uint32_t>(t.ready_by), t.rank, t.ready)};
}

/// What a collective call brought, or what was added up to a reduction, the last of them.
blame::link blame::by_call_or_sum(const task& t) const {
  link by{.call = calls_.that_released(t)};
  std::int64_t came = by.is_known() ? calls_.last_of(by.call).at : never;
  for (const access& a : of_.accesses(t)) {
    if (!a.reads()) continue;
    const contribution last = of_.contributed().last_of(t.rank, a.handle, a.ver_in);
    if (last.at <= came || last.at > t.ready) continue;
    by = {.task = last.task, .transfer = last.transfer};
    came = last.at;
  }
  return by;
}

/// Who waits for data waits for the rank that has them, and until its program asked for them to be
/// sent, for whom that stood; where the receiver could not take a message yet, for its task.
blame::link blame::through_transfer(time_range& when, std::uint32_t index, std::vector<bool>& above,
                                    std::vector<blamed_part>& into) const {
  const transfer& x = of_.transfers()[index];
  if (x.src < 0 || x.src >= of_.ranks()) {
    into.push_back({x.src, when});
    return {};
  }
  const std::uint32_t user = x.is_message() ? kept_out_by(x) : none;
  const contribution last =
      user == none ? last_made(x) : contribution{user, none, of_.tasks()[user].end};
  if (const std::uint32_t first = last.at == never ? passed_on(x) : none;
      first != none && !above[static_cast<std::size_t>(x.src)])
    return before_passed_on(when, x, first, above, into);
  const std::int64_t made = std::min(when.to, std::max(when.from, last.at));
  by_program({x.src, {made, when.to}, x.post_send == never ? made : x.post_send, {}}, above, into);
  when.to = made;
  return {.task = last.task, .transfer = last.transfer};
}

/// Who writes over what is sent waits until its receiver takes it: for its task, or its program.
blame::link blame::through_send(time_range& when, std::uint32_t index, std::vector<bool>& above,
                                std::vector<blamed_part>& into) const {
  const transfer& x = of_.transfers()[index];
  if (x.dst < 0 || x.dst >= of_.ranks()) return {};
  if (const std::uint32_t user = kept_out_by(x); user != none) {
    when.to = std::min(when.to, of_.tasks()[user].end);
    return {.task = user};
  }
  if (const auto late = by_receiver(when, x)) {
    when.to = late->time.from;
    by_program(*late, above, into);
  }
  return through_transfer(when, index, above, into);
}

/// The task of its receiver for whose end a transfer waited, which its sender had offered.
std::uint32_t blame::kept_out_by(const transfer& x) const {
  if (x.offered() == never || x.start_receive <= x.offered()) return none;
  const std::uint32_t number = of_.task_for(x);
  return receivers_.at_work(x, x.offered(),
                            number == none ? trace::no_task : of_.tasks()[number].number);
}

/// Of what a sender moves: the task there that wrote it, or the last that it added up.
contribution blame::last_made(const transfer& x) const {
  if (const contribution last = last_added_up(of_, x); last.at != never) return last;
  const std::uint32_t writer = writer_of(of_, x);
  if (writer == none || of_.tasks()[writer].rank != x.src) return {};
  return {writer, none, of_.tasks()[writer].end};
}

/// Until it came to the rank that passes it on, for the rank before.
blame::link blame::before_passed_on(time_range& when, const transfer& x, std::uint32_t first,
                                    std::vector<bool>& above,
                                    std::vector<blamed_part>& into) const {
  const transfer& brought = of_.transfers()[first];
  // What was sent on had come, also where nobody says when.
  const std::int64_t unknown = x.has_left() ? when.from : when.to;
  const std::int64_t came =
      brought.done_receive == never ? unknown : std::min(when.to, brought.done_receive);
  const bool goes_on = came > when.from && brought.src >= 0 && brought.src < of_.ranks() &&
                       !above[static_cast<std::size_t>(brought.src)];
  const std::int64_t had = goes_on ? came : when.from;
  by_program({x.src, {had, when.to}, x.post_send == never ? had : x.post_send, {}}, above, into);
  when.to = had;
  if (!goes_on) return {};
  above[static_cast<std::size_t>(x.src)] = true;
  const std::size_t before = into.size();
  const link rest = through_transfer(when, first, above, into);
  above[static_cast<std::size_t>(x.src)] = false;
  for (blamed_part& each : std::span(into).subspan(before))
    if (each.circle >= 0) in_circle_of(x.src, each);
  return rest;
}

/// The program of a rank; one that is above stands there itself meanwhile.
void blame::by_program(const stand& part, std::vector<bool>& above,
                       std::vector<blamed_part>& into) const {
  if (part.time.from >= part.time.to) return;
  if (above[static_cast<std::size_t>(part.awaited)])
    into.push_back({part.awaited, part.time});
  else
    pass_on(part, above, into);
}

/// The transfer that brought what a rank sends on; `none`: it wrote that, or had it before.
std::uint32_t blame::passed_on(const transfer& x) const {
  const std::uint32_t writer = writer_of(of_, x);
  if (writer != none && of_.tasks()[writer].rank == x.src) return none;
  std::uint32_t first = came_to_sender(of_, x);
  if (first == none) first = never_came(x);
  if (first == none || of_.transfers()[first].src == x.src) return none;
  const bool later = x.post_send != never && of_.transfers()[first].post_receive > x.post_send;
  return later ? none : first;
}

/// What should have brought to a sender what it passes on.
std::uint32_t blame::never_came(const transfer& x) const {
  if (x.is_message() || x.has_left()) return none;
  for (const std::uint32_t index : of_.transfers_to(x.src, x.handle, x.version))
    if (const transfer& first = of_.transfers()[index];
        !first.is_message() && first.end() == never && first.post_receive != never)
      return index;
  return none;
}

}  // namespace deed::viewer
