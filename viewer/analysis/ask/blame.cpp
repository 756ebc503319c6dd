// SPDX-License-Identifier: MIT
#include "analysis/ask/blame.hpp"

#include <deed/trace/events.hpp>

#include "analysis/ask/caveats.hpp"
#include "analysis/ask/device_work.hpp"
#include "analysis/ask/hang.hpp"
#include "analysis/ask/joined_times.hpp"
#include "analysis/ask/last_cause.hpp"
#include "analysis/read/merge.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <tuple>

namespace deed::viewer {
namespace {

std::uint64_t place_of(int rank, std::uint32_t handle) {
  return std::uint64_t{static_cast<std::uint32_t>(rank)} << 32 | handle;
}

/// Its thread waited for data, or for tasks that may have waited for some.
bool is_for_data(trace::worker_state state) {
  return state == trace::worker_state::fetch_wait || state == trace::worker_state::idle_dependency;
}

}  // namespace

blame::blame(const model& of)
    : of_(of),
      meetings_(of.met()),
      stands_still_(ended_in_deadlock(of)),
      stays_(stays_of_programs(of)),
      tasks_(of.events().lanes().size()),
      has_devices_(has_devices(of.events())),
      works_(lanes_of_workers(of)),
      calls_(of),
      receivers_(of) {
  constexpr std::array finders{&blame::find_tasks, &blame::find_came, &blame::find_held,
                               &blame::find_incoming, &blame::find_origins};
  in_parallel(finders.size(), [&](std::size_t i) { (this->*finders[i])(); });
  find_stands();
}

void blame::find_tasks() {
  for (std::uint32_t i = 0; i < of_.tasks().size(); ++i)
    if (of_.tasks()[i].begin != never && of_.tasks()[i].lane < tasks_.size())
      tasks_[of_.tasks()[i].lane].emplace_back(of_.tasks()[i].begin, i);
  for (by_time& each : tasks_) std::ranges::sort(each, {}, &moment::first);
}

/// What came to each rank, and what never did.
void blame::find_came() {
  came_.resize(static_cast<std::size_t>(of_.ranks()));
  missing_.resize(came_.size());
  for (std::uint32_t i = 0; i < of_.transfers().size(); ++i) {
    const transfer& x = of_.transfers()[i];
    if (x.dst < 0 || x.dst >= of_.ranks()) continue;
    const auto dst = static_cast<std::size_t>(x.dst);
    if (x.done_receive != never)
      came_[dst].emplace_back(x.done_receive, i);
    else if (x.post_receive != never)
      missing_[dst].push_back(i);
  }
  for (by_time& each : came_) std::ranges::sort(each, {}, &moment::first);
  for (auto& each : missing_)
    std::ranges::sort(each, {}, [&](std::uint32_t i) {
      return std::tuple(of_.transfers()[i].for_task, of_.transfers()[i].post_receive, i);
    });
}

/// Sends that could end only when their receivers had asked for them.
void blame::find_held() {
  held_.resize(static_cast<std::size_t>(of_.ranks()));
  for (std::uint32_t i = 0; i < of_.transfers().size(); ++i)
    if (const transfer& x = of_.transfers()[i];
        x.src >= 0 && x.src < of_.ranks() && x.receiver_was_late())
      held_[static_cast<std::size_t>(x.src)].emplace_back(x.post_receive, i);
  for (by_time& each : held_) std::ranges::sort(each, {}, &moment::first);
}

void blame::find_incoming() {
  incoming_.reserve(of_.transfers().size());
  const auto named = static_cast<std::uint32_t>(of_.data().size());
  std::vector<std::uint32_t> unnamed;
  for (std::uint32_t i = 0; i < of_.transfers().size(); ++i)
    if (of_.transfers()[i].handle >= named) unnamed.push_back(i);
  for (std::uint32_t h = 0; h <= named; ++h) {
    const auto first = static_cast<std::ptrdiff_t>(incoming_.size());
    for (const std::uint32_t i : h < named ? of_.transfers_of(h) : unnamed) {
      const transfer& x = of_.transfers()[i];
      const std::int64_t end = x.end();
      incoming_.push_back({place_of(x.dst, x.handle), x.begin(),
                           end == never ? std::numeric_limits<std::int64_t>::max() : end, end, i});
    }
    std::sort(incoming_.begin() + first, incoming_.end(), [](const incoming& a, const incoming& b) {
      return std::tie(a.to, a.begin, a.transfer) < std::tie(b.to, b.begin, b.transfer);
    });
  }
  for (std::size_t i = 0; i < incoming_.size(); ++i) {
    const bool goes_on = i != 0 && incoming_[i - 1].to == incoming_[i].to;
    if (goes_on) incoming_[i].reach = std::max(incoming_[i].reach, incoming_[i - 1].reach);
    if (!goes_on) ways_.add(incoming_[i].to, static_cast<std::uint32_t>(ends_of_ways_.size()));
    if (!goes_on) ends_of_ways_.push_back(0);
    ends_of_ways_.back() = static_cast<std::uint32_t>(i + 1);
  }
}

/// Where the transfers of one datum to one rank lie: from the first to behind the last.
std::pair<std::size_t, std::size_t> blame::way_of(std::uint64_t to) const {
  const std::uint32_t way = ways_.find(to);
  if (way == none) return {};
  return {way == 0 ? 0 : ends_of_ways_[way - 1], ends_of_ways_[way]};
}

/// The first transfer of a version to a rank that was there at a moment; `none` if there is none.
std::uint32_t blame::arrived(std::uint32_t handle, std::uint32_t version, int dst,
                             std::int64_t until) const {
  const auto there = [&](std::uint32_t index) {
    const transfer& x = of_.transfers()[index];
    return x.done_receive != never && x.done_receive <= until;
  };
  if (const std::uint32_t message = of_.message_that_brought(handle, version, dst); message != none)
    return there(message) ? message : none;
  const auto all = of_.transfers_to(dst, handle, version);
  const auto first = std::ranges::find_if(all, there);
  return first == all.end() ? none : *first;
}

/// A thread that had nothing to do waited for what made its next task ready; not for one that was
/// inserted only afterwards. One that was ready when it was inserted, it did not wait for, but for
/// the program.
blame::culprit blame::by_next(const state_span& s) const {
  const auto& tasks = tasks_[s.lane];
  const auto next = std::ranges::lower_bound(tasks, s.end, {}, &moment::first);
  if (next == tasks.end()) return {};
  const task& t = of_.tasks()[next->second];
  if (t.ready == never || t.ready < of_.begin_of(s)) return {};
  const auto cause = static_cast<trace::ready_cause>(t.ready_cause);
  if (cause == trace::ready_cause::submit || (t.submit != never && t.submit > s.end)) return {};
  if (cause == trace::ready_cause::task) return {.by = {.task = next->second}};
  if (cause == trace::ready_cause::gate) return {.rank = t.rank};
  return {.by = released_by(t)};  // Not known: for whom its program stood meanwhile.
}

/// A thread that never got a task again: who should have sent what the next one lacks.
std::uint32_t blame::by_missing(const state_span& s, int here) const {
  if (!works_[s.lane]) return none;
  for (const std::uint32_t index : missing_[static_cast<std::size_t>(here)])
    if (of_.transfers()[index].post_receive < s.end) return index;
  return none;
}

/// A thread that waited for data and has no task to do with them: whose data came last.
std::uint32_t blame::by_last(const state_span& s, int here) const {
  const auto& came = came_[static_cast<std::size_t>(here)];
  const auto after = std::ranges::upper_bound(came, s.end, {}, &moment::first);
  if (after == came.begin()) return none;
  const auto [when, last] = *std::prev(after);
  return when > of_.begin_of(s) ? last : none;
}

/// Who sent the datum that it waited for: of several transfers during the wait, the last to end.
std::uint32_t blame::by_handle(time_range when, std::uint32_t handle, int here) const {
  const auto [first, behind] = way_of(place_of(here, handle));
  const auto mine = std::span(incoming_).subspan(first, behind - first);
  auto at = std::ranges::upper_bound(mine, when.to, {}, &incoming::begin);
  const incoming* last = nullptr;
  while (at != mine.begin()) {
    --at;
    if (at->reach < when.from) break;  // All before have ended earlier, too.
    const bool during = at->end == never || at->end >= when.from;
    if (during && (last == nullptr || last->end <= at->end)) last = &*at;
  }
  return last == nullptr ? none : last->transfer;
}

/// What this rank had offered and was asked for last: what a program gave away is in use until
/// then.
std::optional<blame::stand> blame::by_last_receiver(time_range when, int here) const {
  const auto& held = held_[static_cast<std::size_t>(here)];
  auto each = std::ranges::upper_bound(held, when.to, {}, &moment::first);
  if (each == held.begin() || (--each)->first <= when.from) return {};
  return by_receiver(when, of_.transfers()[each->second]);
}

/// A program that waits for a message to be taken waits for its receiver, until that asks for it.
std::optional<blame::stand> blame::by_receiver(time_range when, const transfer& x) {
  const bool never_asked = x.post_receive == never && x.end() == never;
  if (x.src == x.dst || x.offered() == never || !(never_asked || x.receiver_was_late())) return {};
  const std::int64_t since = std::max(when.from, x.offered());
  const std::int64_t asked = never_asked ? when.to : std::min(when.to, x.post_receive);
  if (since >= asked) return {};
  return stand{x.dst, {since, asked}, asked, {}};
}

/// A program that waits for a message waits for its sender, until that can give it away: first for
/// its program, and then for the tasks before it.
std::optional<blame::stand> blame::by_sender(time_range when, std::uint32_t index) const {
  const transfer& x = of_.transfers()[index];
  const std::int64_t sent = x.offered() == never ? when.to : std::min(when.to, x.offered());
  if (x.src == x.dst || sent <= when.from) return {};
  const std::int64_t called = x.post_send == never ? sent : std::min(sent, x.post_send);
  // Of those that never came, a circle may be one.
  return stand{
      x.src, {when.from, sent}, called, {.transfer = x.done_receive == never ? none : index}};
}

std::optional<blame::stand> blame::by_message(time_range when, std::uint32_t message,
                                              int here) const {
  if (message == none) return by_last_receiver(when, here);  // An older recording.
  const transfer& x = of_.transfers()[message];
  return x.src == here ? by_receiver(when, x) : by_sender(when, message);
}

/// While the program stood in the wait of a request, its sender or its receiver.
void blame::stand_for_requests(int here, std::vector<stand>& into) const {
  for (const program_stay& each : stays_[static_cast<std::size_t>(here)]) {
    if (static_cast<trace::wait_kind>(each.what) != trace::wait_kind::request) continue;
    // In a deadlock one that records nothing more stands there: nobody knows that of others.
    const bool to_the_end = stands_still_ && !each.ended;
    const time_range when{each.time.from, to_the_end ? of_.events().end() : each.time.to};
    if (const auto found = by_message(when, each.message, here)) into.push_back(*found);
  }
}

/// What came last, or was taken last, or what a collective call brought last: all before it was
/// there by then, and the wait went on.
std::optional<blame::stand> blame::by_last_of_all(time_range when, int here) const {
  std::optional<stand> last = by_last_receiver(when, here);
  const auto take = [&](const std::optional<stand>& each) {
    if (each && (!last || last->time.to < each->time.to)) last = each;
  };
  const auto& came = came_[static_cast<std::size_t>(here)];
  const auto behind = std::ranges::upper_bound(came, when.to, {}, &moment::first);
  if (behind != came.begin() && std::prev(behind)->first > when.from)
    take(by_sender(when, std::prev(behind)->second));
  take(by_last_call(when, here));
  return last;
}

/// A call on per-rank data, for which no request waits.
std::optional<blame::stand> blame::by_last_call(time_range when, int here) const {
  const last_to_come last = calls_.last_until(here, when.to);
  if (last.rank < 0 || last.at <= when.from) return {};
  return stand{last.rank, {when.from, last.at}, last.at, {.call = last.place}};
}

/// When a rank had tasks that ran.
std::vector<time_range> blame::busy(int here) const {
  std::vector<time_range> spans;
  for (std::uint32_t lane = 0; lane < tasks_.size(); ++lane)
    if (of_.events().lanes()[lane].rank == here)
      for (const auto& [begin, task] : tasks_[lane])
        spans.push_back({begin, of_.end_of(of_.tasks()[task])});
  return joined(std::move(spans));
}

/// Where its rank had a task to run, the program waits for that.
void blame::stand_for_all(int here, std::span<const time_range> waits,
                          std::vector<stand>& into) const {
  if (waits.empty()) return;
  const std::vector<time_range> works = busy(here);
  for (const time_range& each : waits) {
    const std::optional<stand> found = by_last_of_all(each, here);
    if (!found) continue;
    std::int64_t from = found->time.from;
    for (auto at = std::ranges::upper_bound(works, from, {}, &time_range::to);
         at != works.end() && at->from < found->time.to; ++at) {
      if (from < at->from)
        into.push_back({found->awaited, {from, at->from}, found->called, found->by});
      from = at->to;
    }
    if (from < found->time.to)
      into.push_back({found->awaited, {from, found->time.to}, found->called, found->by});
  }
}

/// Who came last to where the program stood meanwhile, until it came. Of several that have not come
/// nobody knows who is last; in a deadlock none ever is, and the first of them is as good as any.
void blame::stand_at_meetings(int here, std::vector<stand>& into) const {
  const run& r = of_.events();
  for (const meeting_stay& each : meetings_.of_rank(here)) {
    const std::int64_t came = std::min(each.time.to, each.since);
    const auto what = static_cast<trace::wait_kind>(r.get(r.events()[each.event], field::what));
    if (each.time.from >= came || (what == trace::wait_kind::handle && knows_last(each))) continue;
    link by;
    if (knows_last(each)) by.call = {each.call, each.member};
    if (each.awaited != here || by.is_known())
      into.push_back({each.awaited, {each.time.from, came}, came, by});
  }
  constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();
  for (const unfinished_meeting& each :
       std::ranges::equal_range(meetings_.unfinished(), here, {}, &unfinished_meeting::rank))
    if (each.missing.size() == 1 || stands_still_)
      into.push_back({each.missing.front(), {each.since, for_ever}, for_ever, {}});
}

/// Of a stay in a call: who came last is known, and why may be.
bool blame::knows_last(const meeting_stay& stay) const {
  return stay.call != none && calls_.last_of({stay.call, stay.member}).rank >= 0;
}

/// Of what collective calls bring: until the last had come, which may be this rank, because of a
/// call before.
void blame::stand_in_borrows(int here, std::vector<stand>& into) const {
  for (const borrow_in_call& each : calls_.borrows(here)) {
    const last_to_come last = calls_.last_of(each.place);
    const std::int64_t came = std::min(each.time.to, last.at);
    if (last.rank >= 0 && each.time.from < came)
      into.push_back({last.rank, {each.time.from, came}, came, {.call = each.place}});
  }
}

/// What came of a datum last before its borrow ended, or was added up here: until its sender could
/// give it away.
std::optional<blame::stand> blame::by_last_of_datum(time_range when, std::uint32_t handle,
                                                    int here) const {
  contribution last = of_.contributed().last_until(here, handle, when.to);
  if (const std::uint32_t index = by_handle(when, handle, here); index != none)
    if (const std::int64_t came = of_.transfers()[index].done_receive;
        came != never && came <= when.to && came > last.at)
      last = {none, index, came};
  if (last.at <= when.from) return {};
  if (last.transfer != none) return by_sender(when, last.transfer);
  return stand{here, {when.from, last.at}, last.at, {.task = last.task}};
}

void blame::stand_for_data(int here, std::span<const wait_span* const> borrows,
                           std::vector<stand>& into) const {
  const auto of_calls = calls_.borrows(here);
  for (const wait_span* const each : borrows) {
    const auto index = static_cast<std::uint32_t>(each - of_.waits().data());
    if (std::ranges::binary_search(of_calls, index, {}, &borrow_in_call::wait)) continue;
    const event begin = of_.events().events()[each->event];
    if (const auto found =
            by_last_of_datum({each->begin, each->end}, of_.events().get32(begin, field::id), here))
      into.push_back(*found);
  }
}

void blame::find_stands() {
  stands_.resize(stays_.size());
  std::vector<std::vector<time_range>> for_all(stays_.size());
  std::vector<std::vector<const wait_span*>> borrows(stays_.size());
  for (const wait_span& each : of_.waits())
    if (const auto rank = static_cast<std::size_t>(of_.events().lanes()[each.lane].rank);
        rank < for_all.size() && static_cast<trace::wait_kind>(each.what) == trace::wait_kind::all)
      for_all[rank].push_back({each.begin, each.end});
    else if (rank < borrows.size() && each.ended &&
             static_cast<trace::wait_kind>(each.what) == trace::wait_kind::handle)
      borrows[rank].push_back(&each);
  in_parallel(stays_.size(), [&](std::size_t rank) {
    std::vector<stand>& mine = stands_[rank];
    stand_at_meetings(static_cast<int>(rank), mine);
    stand_in_borrows(static_cast<int>(rank), mine);
    stand_for_data(static_cast<int>(rank), borrows[rank], mine);
    stand_for_requests(static_cast<int>(rank), mine);
    stand_for_all(static_cast<int>(rank), for_all[rank], mine);
    std::ranges::sort(mine, {}, [](const stand& each) { return each.time.from; });
    for (std::size_t i = 1; i < mine.size(); ++i)  // Where the end of one is lost.
      mine[i - 1].time.to = std::min(mine[i - 1].time.to, mine[i].time.from);
  });
}

/// Of a rank that stood for another one, until when it did: that one, or for whom that stood
/// meanwhile. One that is `above` waits for this itself, in a circle: clocks disagree, or all stand
/// for ever.
void blame::by_stands(time_range when, int here, std::vector<bool>& above,
                      std::vector<blamed_part>& into) const {
  const auto& mine = stands_[static_cast<std::size_t>(here)];
  const auto end = [](const stand& each) { return each.time.to; };
  const bool was_above = above[static_cast<std::size_t>(here)];
  above[static_cast<std::size_t>(here)] = true;
  for (auto each = std::ranges::upper_bound(mine, when.from, {}, end);
       each != mine.end() && each->time.from < when.to; ++each) {
    const time_range both{std::max(when.from, each->time.from), std::min(when.to, each->time.to)};
    const bool known = 0 <= each->awaited && each->awaited < of_.ranks();
    if (both.from < both.to && each->by.is_known()) {
      by_link(both, each->by, above, into);
      continue;
    }
    if (both.from >= both.to || !known || each->awaited == here) continue;
    if (above[static_cast<std::size_t>(each->awaited)])
      into.push_back({here, both, each->awaited});
    else
      pass_on({each->awaited, both, each->called, {}}, above, into);
  }
  above[static_cast<std::size_t>(here)] = was_above;
}

/// Of those of a circle none is the cause of the others: on the way back the next one is blamed, up
/// to where the circle begins.
void blame::in_circle_of(int awaited, blamed_part& part) {
  part.rank = awaited;
  if (part.circle == awaited) part.circle = -1;
}

void blame::pass_on(const stand& part, std::vector<bool>& above,
                    std::vector<blamed_part>& into) const {
  std::vector<blamed_part> passed;
  by_stands({part.time.from, std::min(part.time.to, part.called)}, part.awaited, above, passed);
  std::int64_t from = part.time.from;
  for (blamed_part& each : passed) {
    if (each.circle >= 0) in_circle_of(part.awaited, each);
    if (from < each.time.from) into.push_back({part.awaited, {from, each.time.from}});
    into.push_back(each);
    from = each.time.to;
  }
  if (from < part.time.to) into.push_back({part.awaited, {from, part.time.to}});
}

/// When tasks were on the rank's own device of which the datum is made that it waits for: from when
/// they could be, to the end of their kernels. Tasks before it are looked at as long as they were
/// not done; of very many, the nearest.
std::vector<time_range> blame::on_own_device(std::uint32_t awaited, int here,
                                             time_range when) const {
  constexpr std::size_t many = 256;
  std::vector<time_range> found;
  std::vector<std::uint32_t> before{writer_of(of_, of_.transfers()[awaited])};
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == none) continue;
    const task& t = of_.tasks()[before[i]];
    if (t.end != never && t.end <= when.from) continue;
    const bool on_device = t.begin != never && is_on_device(of_.events(), t.lane);
    const std::int64_t from = std::max(t.ready == never ? t.begin : t.ready, when.from);
    const std::int64_t to = t.end == never ? when.to : std::min(t.end, when.to);
    if (t.rank == here && on_device && from < to) found.push_back({from, to});
    for (const access& a : of_.accesses(t)) {
      const std::uint32_t writer = a.reads() ? of_.writer(a.handle, a.ver_in) : none;
      if (before.size() < many && std::ranges::find(before, writer) == before.end())
        before.push_back(writer);
    }
  }
  return joined(std::move(found));
}

/// While a rank's own device makes what another one needs first, nobody else is to blame.
void blame::by_data_of(time_range when, std::uint32_t awaited, int here, std::vector<bool>& above,
                       std::vector<blamed_part>& into) const {
  if (has_devices_)
    for (const time_range& each : on_own_device(awaited, here, when)) {
      if (when.from < each.from)
        by_link({when.from, each.from}, {.transfer = awaited}, above, into);
      when.from = each.to;
    }
  if (when.from < when.to) by_link(when, {.transfer = awaited}, above, into);
}

std::vector<blamed_part> blame::parts_of(const state_span& s) const {
  using enum trace::worker_state;
  const int here = of_.events().lanes()[s.lane].rank;
  if (here < 0 || here >= of_.ranks()) return {};
  const time_range when{of_.begin_of(s), s.end};
  const said why{of_.state_as_said(s), of_.reason_of(s)};
  const trace::worker_state state = why.state;
  const culprit cause = by_cause(s, why, here);
  if (cause.rank >= 0) return {{cause.rank, when}};
  if (!cause.by.is_known() && !is_for_data(state) && state != idle_no_task) return {};
  std::vector<blamed_part> found;
  std::vector<bool> above(stands_.size());
  above[static_cast<std::size_t>(here)] = true;  // Nobody waits for itself.
  if (cause.by.transfer != none && !cause.by.sends) {
    by_data_of(when, cause.by.transfer, here, above, found);
    return found;
  }
  if (cause.by.is_known()) {
    above[static_cast<std::size_t>(here)] = false;  // What its program did before may be the cause.
    by_link(when, cause.by, above, found);
    return found;
  }
  const std::uint32_t awaited = by_data(s, why, here);
  if (awaited != none && state == idle_dependency) {
    by_data_of(when, awaited, here, above, found);
    return found;
  }
  cut_by_stays(s, when, stays_[static_cast<std::size_t>(here)],
               [&](std::int64_t from, std::int64_t to, const program_stay* stay) {
                 if (awaited == none || stay != nullptr)
                   by_stands({from, to}, here, above, found);
                 else if (from < to)
                   by_data_of({from, to}, awaited, here, above, found);
               });
  if (!found.empty() || state == idle_no_task) return found;
  if (const auto last = by_last_receiver(when, here)) found.push_back({last->awaited, last->time});
  return found;
}

/// What the thread said, and what its next task waited for.
blame::culprit blame::by_cause(const state_span& s, const said& why, int here) const {
  const auto [kind, number] = why.reason;
  switch (kind) {
    case trace::reason_kind::none:
      return is_for_data(why.state) ? by_next(s) : culprit{};
    case trace::reason_kind::rank:
      return {.rank = static_cast<int>(number)};
    case trace::reason_kind::handle:
      return {.by = {.transfer = by_handle({of_.begin_of(s), s.end},
                                           static_cast<std::uint32_t>(number), here)}};
    case trace::reason_kind::task: {
      const std::uint32_t t = of_.find_task(here, number);
      return {.rank = t == none ? -1 : of_.tasks()[t].rank};
    }
    default:
      return {};
  }
}

/// A thread that waited for data without saying for what, and had no task to do with them.
std::uint32_t blame::by_data(const state_span& s, const said& why, int here) const {
  if (why.reason.kind != trace::reason_kind::none || !is_for_data(why.state)) return none;
  if (const std::uint32_t missing = by_missing(s, here); missing != none) return missing;
  return why.state == trace::worker_state::fetch_wait ? by_last(s, here) : none;
}

}  // namespace deed::viewer
