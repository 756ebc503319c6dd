// SPDX-License-Identifier: MIT
#include "analysis/model.hpp"

#include <deed/trace/events.hpp>

#include "analysis/ask/joined_times.hpp"
#include "analysis/clock/time_errors.hpp"
#include "analysis/match/contributions.hpp"
#include "analysis/match/device_copy.hpp"
#include "analysis/match/match_events.hpp"
#include "analysis/match/meetings.hpp"
#include "analysis/read/merge.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

namespace deed::viewer {
namespace {

std::uint64_t pair_of(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

/// A damaged number must not allocate the machine: there are no more data than records of them.
std::uint64_t most_handles(const run& of) {
  return std::max<std::uint64_t>(4'096, 2 * of.events().size());
}

/// A rank that stopped recording, and others need not have. Virtual ranks are of one process: one
/// that says nothing more waits.
bool may_be_dead(const rank_info& of) { return !of.ended && of.clock_kind != "virtual"; }

/// How much of the time before a moment lies in at least one of several spans.
class spans_so_far {
 public:
  explicit spans_so_far(std::vector<time_range> spans) : spans_(joined(std::move(spans))) {
    std::int64_t sum = 0;
    for (const time_range& each : spans_) {
      before_.push_back(sum);
      sum += each.to - each.from;
    }
  }
  [[nodiscard]] std::int64_t until(std::int64_t moment) const {
    const auto behind = std::ranges::upper_bound(spans_, moment, {}, &time_range::from);
    if (behind == spans_.begin()) return 0;
    const auto last = static_cast<std::size_t>(behind - spans_.begin()) - 1;
    return before_[last] + std::min(moment, spans_[last].to) - spans_[last].from;
  }

 private:
  std::vector<time_range> spans_;
  std::vector<std::int64_t> before_;  // By span: the length of those before.
};

/// By when a task had begun, as far as is known. One that was cancelled has an end alone.
std::int64_t begun_until(const task& t, std::int64_t end_of_run) {
  if (t.begin != never) return t.begin;
  return t.end != never ? t.end : end_of_run;
}

bool is_definition(record what) { return what <= record::worker; }

}  // namespace

model::model(const run& from) : run_(&from) {
  for (const rank_info& each : from.ranks())
    if (may_be_dead(each)) last_of_unended_[each.rank] = each.last;
  read_definitions();
  {
    matched_events found =
        match_events(from, codelet_numbers_, [this](int rank) { return known_until(rank); });
    tasks_ = std::move(found.tasks);
    accesses_ = std::move(found.accesses);
    transfers_ = std::move(found.transfers);
    states_ = std::move(found.states);
    waits_ = std::move(found.waits);
    phases_ = std::move(found.phases);
    values_ = std::move(found.values);
    failures_ = std::move(found.failures);
    stops_ = std::move(found.stops);
  }
  find_idle_without_tasks();
  if (from.is_large()) from.rest();
  for (const std::uint32_t index : failures_)
    if (const event e = from.events()[index]; e.what == record::fatal_signal)
      crashed_.try_emplace(e.lane, e.time);
  {
    // Neither thread looks at what the other makes.
    const std::jthread beside([this] { mark_redundant(); });
    number_tasks();
    find_untold();
    sort_writes();
    find_writers();
  }
  find_messages();
  met_ = std::make_shared<found_meetings>();
  contributed_ = std::make_shared<found_contributions>();
  clock_errors_ = std::make_shared<found_errors>();
  device_copies_ = std::make_shared<found_copies>();
  if (!ranks_count_alike()) forget_foreign_numbers();
  for (std::uint32_t h = 0; h < data_.size(); ++h) data_[h].events = from.events_of(h);
  name_handles();
  find_numbered_phases();
}

/// A thread says that it is idle for a dependency while anything of its rank is to be done, also a
/// transfer. Where no task was inserted that had not begun, for most of the time, none depends.
/// What was not recorded may have been one; of what began before a slice, its part there counts.
void model::find_idle_without_tasks() {
  using enum trace::worker_state;
  if (!run_->records("task")) return;
  const auto says_so = [&](const state_span& s) {  // And does not name the task.
    return s.is(idle_dependency) && reason_of(s).kind == trace::reason_kind::none;
  };
  std::map<int, std::vector<time_range>> left;  // When a rank had tasks that had not begun.
  for (const state_span& s : states_)
    if (says_so(s)) left.try_emplace(run_->lanes()[s.lane].rank);
  if (left.empty()) return;
  const std::int64_t known_from = run_->known_from();
  for (const task& t : tasks_)
    if (const auto mine = left.find(t.rank); mine != left.end())
      mine->second.push_back({std::max(t.submit, std::int64_t{0}), begun_until(t, run_->end())});
  std::map<int, spans_so_far> known;
  for (auto& [rank, spans] : left) known.try_emplace(rank, std::move(spans));
  for (state_span& s : states_) {
    if (!says_so(s) || s.end <= known_from) continue;
    const std::int64_t begin = std::max(begin_of(s), known_from);
    const spans_so_far& mine = known.at(run_->lanes()[s.lane].rank);
    if (2 * (mine.until(s.end) - mine.until(begin)) < s.end - begin)
      s.state = static_cast<std::uint8_t>(idle_no_task);
  }
}

/// They come first: an event may be stamped before the definition that it refers to.
void model::read_definitions() {
  const event_list& events = run_->events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!is_definition(events.what(i))) continue;
    const event e = events[i];
    read_definition(e, run_->rank_of(e));
  }
}

state_reason model::reason_of(const state_span& s) const {
  const event e = run_->events()[s.event];
  if (e.what != record::state) return {};  // The end of a task.
  return {static_cast<trace::reason_kind>(run_->get(e, field::reason_kind)),
          run_->get(e, field::reason) & task::number_mask};
}

std::uint32_t model::writer_on(int rank, std::uint32_t handle, std::uint32_t version,
                               std::int64_t until) const {
  if (const std::uint32_t known = writer(handle, version);
      known == none || tasks_[known].rank == rank)
    return known;
  const auto& writes = data_[handle].writes;
  auto each = std::ranges::upper_bound(
      writes, until, {}, [&](std::uint32_t at) { return tasks_[accesses_[at].task].end; });
  constexpr int most = 10'000;  // A rank that passes on what it received may never write it.
  for (int looked = 0; looked < most && each != writes.begin(); ++looked) {
    const access& a = accesses_[*--each];
    if (tasks_[a.task].rank != rank || a.ver_out > version) continue;
    return a.ver_out == version ? a.task : none;
  }
  return none;
}

std::int64_t model::known_until(int rank) const {
  const auto last = last_of_unended_.find(rank);
  return last == last_of_unended_.end() ? run_->end() : last->second;
}

std::int64_t model::lane_known_until(std::uint32_t lane) const {
  const std::int64_t of_rank =
      lane < run_->lanes().size() ? known_until(run_->lanes()[lane].rank) : run_->end();
  const auto crash = crashed_.find(lane);
  return crash == crashed_.end() ? of_rank : std::min(of_rank, crash->second);
}

std::int64_t model::head() const {
  constexpr std::int64_t together = 100'000'000;
  std::int64_t first = run_->end();
  for (const rank_info& each : run_->ranks())
    if (each.recorded && may_be_dead(each) && each.last > run_->end() - together)
      first = std::min(first, each.last);
  return first;
}

void model::read_definition(const event& e, int rank) {
  const run& r = *run_;
  switch (e.what) {
    case record::codelet: {
      const std::string name(r.text(e, field::name));
      const auto [at, added] =
          codelet_names_.try_emplace(name, static_cast<std::uint32_t>(codelets_.size()));
      if (added)
        codelets_.push_back(
            {name,
             std::string(r.text(e, field::file)) + ":" + std::to_string(r.get(e, field::line)),
             r.get32(e, field::colour)});
      codelet_numbers_.put(rank, r.get(e, field::id), at->second);
      break;
    }
    case record::group: {
      recorded_group& known = groups_[by_rank(rank, r.get(e, field::id))];
      known.size = r.get32(e, field::size);
      known.loc = r.get32(e, field::loc);
      known.add(r.text(e, field::members), ranks());
      break;
    }
    case record::src_loc:
      if (r.text(e, field::file).empty()) break;  // Of what no line of the program did.
      places_[by_rank(rank, r.get(e, field::id))] =
          std::string(r.text(e, field::file)) + ":" + std::to_string(r.get(e, field::line));
      break;
    case record::backtrace:
      frames_[by_rank(rank, r.get(e, field::id))] = r.text(e, field::frames);
      break;
    case record::text:
      texts_[by_rank(rank, r.get(e, field::id))] = r.text(e, field::text);
      break;
    case record::handle_register: {
      const std::uint32_t handle = r.get32(e, field::handle);
      if (handle >= most_handles(r)) break;
      datum& known = datum_at(handle);
      const std::uint32_t home = r.get32(e, field::home_rank);
      const std::uint64_t held = r.get(e, field::held, r.get(e, field::bytes));
      if (known.known && known.is_per_rank() && held != trace::no_size)
        known.held = known.held == trace::no_size ? held : std::max(known.held, held);
      if (known.known && home != static_cast<std::uint32_t>(rank)) break;  // The owner knows best.
      known.known = true;
      known.group = r.text(e, field::name);
      known.i = static_cast<std::int32_t>(r.get32(e, field::i));
      known.j = static_cast<std::int32_t>(r.get32(e, field::j));
      known.name = known.group.empty() ? "#" + std::to_string(handle) : known.group;
      if (known.i >= 0)
        known.name += "[" + std::to_string(known.i) +
                      (known.j >= 0 ? "," + std::to_string(known.j) : "") + "]";
      known.bytes = r.get(e, field::bytes);
      known.held = held;
      known.home = home;
      known.home_reporter = rank;
      known.loc = r.get32(e, field::loc);
      break;
    }
    default:
      break;
  }
}

void model::number_tasks() {
  for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
    const std::uint64_t number = tasks_[i].number;
    // A damaged number must not allocate the machine: there are no more tasks than events.
    if (number < run_->events().size()) {
      if (number >= task_of_number_.size())
        task_of_number_.resize(std::max<std::size_t>(number + 1, 2 * task_of_number_.size()), none);
      std::uint32_t& first = task_of_number_[number];
      if (first == none) {
        first = i;
        continue;
      }
      if (tasks_[first].rank != tasks_[i].rank) share_number(number);
    }
    task_index_.add(by_rank(tasks_[i].rank, number), i);
  }
}

void model::share_number(std::uint64_t number) {
  ranks_count_alike_ = false;
  if (number >= shared_numbers_.size()) shared_numbers_.resize(task_of_number_.size());
  shared_numbers_[number] = true;
}

namespace {

/// A task is the receiver's; one that writes back is the sender's.
bool is_for_sender(const transfer& x) { return x.is(trace::transfer_reason::write_back); }

}  // namespace

/// Where only the other end recorded a transfer, its task has a number of that rank.
void model::forget_foreign_numbers() {
  for (transfer& x : transfers_)
    if ((is_for_sender(x) ? x.post_send : x.post_receive) == never) x.for_task = trace::no_task;
}

void model::find_untold() {
  all_told_from_ = run_->known_from();
  if (!std::ranges::all_of(run_->ranks(), &rank_info::present))
    all_told_from_ = std::numeric_limits<std::int64_t>::max();
  if (all_told_from_ == 0) return;
  for (const task& t : tasks_) {
    if (t.submit != never || (t.begin == never && t.end == never)) continue;
    all_told_from_ =
        t.end == never ? std::numeric_limits<std::int64_t>::max() : std::max(all_told_from_, t.end);
  }
}

datum& model::datum_at(std::uint32_t handle) {
  if (handle >= data_.size()) data_.resize(handle + 1);
  return data_[handle];
}

void model::sort_writes() {
  const auto counts = [this](const access& a) {
    return a.writes() && a.handle < data_.size() && tasks_[a.task].end != never;
  };
  std::vector<std::size_t> next(data_.size() + 1);
  for (const access& a : accesses_)
    if (counts(a)) ++next[a.handle + 1];
  for (std::size_t h = 1; h < next.size(); ++h) next[h] += next[h - 1];
  writes_.resize(next.back());
  const std::vector<std::size_t> starts = next;
  for (std::uint32_t i = 0; i < accesses_.size(); ++i)
    if (counts(accesses_[i])) writes_[next[accesses_[i].handle]++] = i;
  using end_of_write = std::pair<std::int64_t, std::uint32_t>;
  std::vector<end_of_write> ends;  // What is compared lies together.
  for (std::size_t h = 0; h < data_.size(); ++h) {
    const auto mine = std::span(writes_).subspan(starts[h], starts[h + 1] - starts[h]);
    ends.clear();
    for (const std::uint32_t each : mine) ends.emplace_back(tasks_[accesses_[each].task].end, each);
    std::ranges::sort(ends, {}, &end_of_write::first);
    std::ranges::transform(ends, mine.begin(), &end_of_write::second);
    data_[h].writes = mine;
  }
}

/// The first writer of each version.
void model::find_writers() {
  struct versions {
    std::size_t writes = 0;
    std::size_t end = 0;  // After the newest.
  };
  std::vector<versions> of(data_.size());
  for (const access& a : accesses_) {
    if (!a.writes() || a.handle >= of.size()) continue;
    ++of[a.handle].writes;
    of[a.handle].end = std::max(of[a.handle].end, std::size_t{a.ver_out} + 1);
  }
  versions_of_.assign(1, 0);
  for (const versions& each : of)
    versions_of_.push_back(versions_of_.back() + std::min(each.end, 4 * each.writes + 64));
  writer_of_version_.assign(versions_of_.back(), none);
  for (const access& a : accesses_) {
    if (!a.writes()) continue;
    if (const auto at = place_of_version(a.handle, a.ver_out)) {
      if (writer_of_version_[*at] == none) writer_of_version_[*at] = a.task;
    } else {
      writers_.add(pair_of(a.handle, a.ver_out), a.task);
    }
  }
}

std::optional<std::size_t> model::place_of_version(std::uint32_t handle,
                                                   std::uint32_t version) const {
  if (handle >= data_.size()) return {};
  const std::size_t at = versions_of_[handle] + version;
  return at < versions_of_[handle + 1] ? std::optional(at) : std::nullopt;
}

void model::mark_redundant() {
  // What the order looks at, beside each other; those of unknown data come last, in one list.
  struct move {
    std::uint32_t handle, version;
    int src, dst;
    std::int64_t moves;
    std::uint32_t seq, index;
    // A sender may start them in another order than that in which the receiver has room for them.
    [[nodiscard]] auto key() const { return std::tie(handle, version, src, dst, moves, seq); }
    [[nodiscard]] bool repeats(const move& other) const {
      return std::tie(handle, version, src, dst) ==
             std::tie(other.handle, other.version, other.src, other.dst);
    }
  };
  std::vector<std::vector<move>> moves(data_.size() + 1);
  for (std::uint32_t i = 0; i < transfers_.size(); ++i) {
    const transfer& x = transfers_[i];
    moves[std::min<std::size_t>(x.handle, data_.size())].push_back(
        {x.handle, x.version, x.src, x.dst, x.on_the_wire(), x.seq, i});
  }
  first_transfer_.assign(data_.size() + 1, 0);
  for (std::size_t h = 0; h < data_.size(); ++h)
    first_transfer_[h + 1] = first_transfer_[h] + static_cast<std::uint32_t>(moves[h].size());
  for (auto* const each : {&transfers_by_time_, &transfers_by_receiver_, &transfers_by_sender_})
    each->resize(first_transfer_.back());
  in_parallel(moves.size(), [&](std::size_t h) {
    std::vector<move>& of = moves[h];
    std::sort(of.begin(), of.end(), [](const move& a, const move& b) { return a.key() < b.key(); });
    const move* before = nullptr;
    for (const move& each : of) {
      transfer& x = transfers_[each.index];
      // Explicit messages are what the program asked for, and go into data of their own.
      if (x.is_message()) continue;
      x.redundant = before != nullptr && x.end() != never && each.repeats(*before);
      before = &each;
    }
    if (h == data_.size()) return;
    std::stable_sort(of.begin(), of.end(),
                     [](const move& a, const move& b) { return a.moves < b.moves; });
    std::ranges::transform(of, transfers_by_time_.begin() + first_transfer_[h], &move::index);
    sort_by_ends(static_cast<std::uint32_t>(h));
    mark_came_back(static_cast<std::uint32_t>(h));
  });
}

/// Those of one version together, by each of the two ranks.
void model::sort_by_ends(std::uint32_t handle) {
  const auto all = of_datum(transfers_by_time_, handle);
  const auto first = static_cast<std::ptrdiff_t>(first_transfer_[handle]);
  const auto receivers =
      std::ranges::subrange(transfers_by_receiver_.begin() + first,
                            std::ranges::copy(all, transfers_by_receiver_.begin() + first).out);
  std::ranges::stable_sort(receivers, {}, [&](std::uint32_t index) {
    return std::tuple(transfers_[index].version, transfers_[index].dst);
  });
  const auto senders =
      std::ranges::subrange(transfers_by_sender_.begin() + first,
                            std::ranges::copy(all, transfers_by_sender_.begin() + first).out);
  std::ranges::stable_sort(senders, {}, [&](std::uint32_t index) {
    const transfer& x = transfers_[index];
    return std::tuple(x.version, x.src, x.done_send);
  });
}

/// Two migrations of one version, there and back.
void model::mark_came_back(std::uint32_t handle) {
  std::map<std::tuple<std::uint32_t, int, int>, bool> migrated;  // Version, from, to: the last one.
  for (const std::uint32_t index : transfers_of(handle)) {
    transfer& x = transfers_[index];
    const bool migrates = x.is(trace::transfer_reason::migrate);
    const auto way = std::tuple{x.version, x.src, x.dst};
    if (migrates) {
      const auto away = migrated.find({x.version, x.dst, x.src});
      x.came_back = !x.redundant && away != migrated.end() && away->second;
      migrated[way] = true;
    } else if (const auto before = migrated.find(way); before != migrated.end()) {
      before->second = false;
    }
  }
}

std::span<const state_span> model::states_of(std::uint32_t lane) const {
  const auto lane_of = [](const state_span& s) { return std::uint32_t{s.lane}; };
  return std::ranges::equal_range(states_, lane, {}, lane_of);
}

std::span<const phase_span> model::phases_of(std::uint32_t lane) const {
  return std::ranges::equal_range(phases_, lane, {}, &phase_span::lane);
}

const phase_span* model::phase_of(std::uint32_t event) const {
  const auto e = run_->events()[event];
  if (e.what != record::phase_push && e.what != record::phase_pop) return nullptr;
  const auto here = phases_of(e.lane);
  const auto found = e.what == record::phase_push
                         ? std::ranges::lower_bound(here, event, {}, &phase_span::event)
                         : std::ranges::find(here, event, &phase_span::end_event);
  return found != here.end() && (found->event == event || found->end_event == event) ? &*found
                                                                                     : nullptr;
}

const phase_span* model::around(const phase_span& inner) const {
  if (inner.depth == 0) return nullptr;
  const auto here = phases_of(inner.lane);
  auto at = std::ranges::lower_bound(here, inner.event, {}, &phase_span::event);
  while (at != here.begin())
    if ((--at)->depth < inner.depth && at->end_event > inner.event) return &*at;
  return nullptr;
}

const value_series* model::values_of(std::uint32_t event) const {
  const auto e = run_->events()[event];
  if (e.what != record::counter) return nullptr;
  const int rank = run_->rank_of(e);
  const std::uint32_t name = run_->get32(e, field::id);
  const auto found = std::ranges::find_if(
      values_, [&](const value_series& each) { return each.rank == rank && each.name == name; });
  return found == values_.end() ? nullptr : &*found;
}

std::span<const std::uint32_t> model::events_of(std::uint32_t handle) const {
  return handle < data_.size() ? data_[handle].events : std::span<const std::uint32_t>();
}

/// Damaged files name data that nobody registered.
std::span<const std::uint32_t> model::of_datum(const unset_vector<std::uint32_t>& all,
                                               std::uint32_t handle) const {
  if (std::size_t{handle} + 1 >= first_transfer_.size()) return {};
  return std::span(all).subspan(first_transfer_[handle],
                                first_transfer_[handle + 1] - first_transfer_[handle]);
}

std::span<const std::uint32_t> model::transfers_of(std::uint32_t handle) const {
  return of_datum(transfers_by_time_, handle);
}

std::span<const std::uint32_t> model::transfers_to(int rank, std::uint32_t handle,
                                                   std::uint32_t version) const {
  return std::ranges::equal_range(
      of_datum(transfers_by_receiver_, handle), std::tuple(version, rank), {},
      [&](std::uint32_t at) { return std::tuple(transfers_[at].version, transfers_[at].dst); });
}

std::span<const std::uint32_t> model::transfers_from(int rank, std::uint32_t handle,
                                                     std::uint32_t version) const {
  return std::ranges::equal_range(
      of_datum(transfers_by_sender_, handle), std::tuple(version, rank), {},
      [&](std::uint32_t at) { return std::tuple(transfers_[at].version, transfers_[at].src); });
}

struct model::found_meetings {
  std::once_flag once;
  std::optional<meetings> all;
};

const recorded_group* model::group_of(int rank, std::uint32_t number) const {
  const auto found = groups_.find(by_rank(rank, number));
  return found == groups_.end() ? nullptr : &found->second;
}

const meetings& model::met() const {
  std::call_once(met_->once, [this] { met_->all.emplace(*this); });
  return *met_->all;
}

struct model::found_contributions {
  std::once_flag once;
  std::optional<contributions> all;
};

const contributions& model::contributed() const {
  std::call_once(contributed_->once, [this] { contributed_->all.emplace(*this); });
  return *contributed_->all;
}

struct model::found_errors {
  std::once_flag once;
  std::optional<time_errors> all;
};

const time_errors& model::clock_errors() const {
  std::call_once(clock_errors_->once, [this] { clock_errors_->all.emplace(*this); });
  return *clock_errors_->all;
}

struct model::found_copies {
  std::once_flag once;
  std::vector<device_copy> all;
};

const std::vector<device_copy>& model::device_copies() const {
  std::call_once(device_copies_->once, [this] { device_copies_->all = find_device_copies(*run_); });
  return device_copies_->all;
}

std::span<const device_copy> model::device_copies_of(std::uint32_t lane) const {
  return std::ranges::equal_range(device_copies(), lane, {}, &device_copy::lane);
}

std::uint32_t model::find_task(int rank, std::uint64_t number) const {
  if (number < task_of_number_.size()) {
    const std::uint32_t first = task_of_number_[static_cast<std::size_t>(number)];
    if (first == none || tasks_[first].rank == rank) return first;
  }
  return task_index_.find(by_rank(rank, number));
}

std::uint32_t model::task_for(const transfer& x) const {
  return x.for_task == trace::no_task ? none
                                      : find_task(is_for_sender(x) ? x.src : x.dst, x.for_task);
}

std::string model::name_task_for(const transfer& x) const {
  return task_name(is_for_sender(x) ? x.src : x.dst, x.for_task);
}

std::uint32_t model::writer(std::uint32_t handle, std::uint32_t version) const {
  const auto at = place_of_version(handle, version);
  return at ? writer_of_version_[*at] : writers_.find(pair_of(handle, version));
}

}  // namespace deed::viewer
