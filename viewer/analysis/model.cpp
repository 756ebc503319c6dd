// SPDX-License-Identifier: MIT
#include "analysis/model.hpp"

#include <deed/trace/events.hpp>

#include "analysis/read/event_walk.hpp"

#include <algorithm>
#include <map>
#include <thread>
#include <tuple>
#include <utility>

namespace deed::viewer {
namespace {

std::uint64_t by_rank(int rank, std::uint64_t id) {
  return (static_cast<std::uint64_t>(rank) << 44) ^ id;
}
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

bool is_definition(record what) { return what <= record::worker; }
/// What `read_work` looks at.
bool is_work(record what) {
  switch (what) {
    case record::task_submit:
    case record::task_access:
    case record::task_ready:
    case record::task_begin:
    case record::task_end:
    case record::kernel:
    case record::state:
    case record::wait_begin:
    case record::wait_end:
      return true;
    default:
      return false;
  }
}
bool is_move(record what) {
  return what == record::xfer_post || what == record::xfer_start || what == record::xfer_done;
}

/// A row of a table; most are longer than a cache line.
void fetch(const auto& row) {
  __builtin_prefetch(&row);
  __builtin_prefetch(reinterpret_cast<const std::byte*>(&row + 1) - 1);
}

}  // namespace

model::model(const run& from) : run_(&from) {
  const auto& events = from.events();
  open_states_.resize(from.lanes().size());
  waiting_.resize(from.lanes().size());
  for (const rank_info& each : from.ranks())
    if (may_be_dead(each)) last_of_unended_[each.rank] = each.last;
  says_states_.resize(from.lanes().size());
  // About ten events make a task. Memory that is not touched costs nothing.
  tasks_.reserve(events.size() / 8);
  accesses_.reserve(events.size() / 3);
  // Definitions first: an event may be stamped before the definition that it refers to.
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!is_definition(events.what(i))) continue;
    const event e = events[i];
    read_definition(e, from.rank_of(e));
  }
  {
    // Neither thread looks at what the other makes: tasks and spans here, transfers and the events
    // of data there.
    const std::jthread beside([this] {
      read_moves();
      // Nobody asks them again.
      transfer_index_ = {};
      message_index_ = {};
      posted_ = {};
      mark_redundant();
    });
    std::uint32_t rested = 0;
    walk(
        events, is_work, [this](std::uint32_t i) { fetch_number(i); },
        [this](std::uint32_t i) { fetch_task(i); },
        [&](std::uint32_t i) {
          // What lies behind is not looked at again; the other thread is near enough.
          constexpr std::uint32_t apart = 1u << 22;
          if (i / apart != rested) from.rest_files();
          rested = i / apart;
          const event e = events[i];
          read_work(e, i, from.rank_of(e));
        });
    end_spans();
    sort_accesses();
    sort_writes();
    find_writers();
  }
  for (std::uint32_t h = 0; h < data_.size(); ++h) data_[h].events = from.events_of(h);
  name_handles();
}

std::int64_t model::known_until(int rank) const {
  const auto last = last_of_unended_.find(rank);
  return last == last_of_unended_.end() ? run_->end() : last->second;
}

/// What is open at the end of the run ends there.
void model::end_spans() {
  const auto end_of_lane = [this](std::size_t lane) {
    return known_until(run_->lanes()[lane].rank);
  };
  for (std::uint32_t lane = 0; lane < open_states_.size(); ++lane)
    end_state(lane, end_of_lane(lane));
  for (std::size_t lane = 0; lane < waiting_.size(); ++lane)
    for (wait_span& each : waiting_[lane]) {
      each.end = end_of_lane(lane);
      waits_.push_back(each);
    }
  // The states of a lane come one after the other: they are in the order of time.
  std::vector<std::size_t> next(run_->lanes().size() + 1);
  for (const state_span& each : states_) ++next[each.lane + 1];
  for (std::size_t lane = 1; lane < next.size(); ++lane) next[lane] += next[lane - 1];
  std::vector<state_span> sorted(states_.size());
  for (const state_span& each : states_) sorted[next[each.lane]++] = each;
  states_ = std::move(sorted);
  std::sort(waits_.begin(), waits_.end(), [](const auto& a, const auto& b) {
    return std::tie(a.lane, a.begin) < std::tie(b.lane, b.begin);
  });
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
      codelet_index_[by_rank(rank, r.get(e, field::id))] = at->second;
      break;
    }
    case record::src_loc:
      places_[by_rank(rank, r.get(e, field::id))] =
          std::string(r.text(e, field::file)) + ":" + std::to_string(r.get(e, field::line));
      break;
    case record::text:
      texts_[by_rank(rank, r.get(e, field::id))] = r.text(e, field::text);
      break;
    case record::handle_register: {
      const std::uint32_t handle = r.get32(e, field::handle);
      if (handle >= most_handles(r)) break;
      datum& known = datum_at(handle);
      const std::uint32_t home = r.get32(e, field::home_rank);
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
      known.home = home;
      known.home_reporter = rank;
      known.loc = r.get32(e, field::loc);
      break;
    }
    default:
      break;
  }
}

void model::read_work(const event& e, std::uint32_t index, int rank) {
  const run& r = *run_;
  const auto number = r.get(e, field::task);
  switch (e.what) {  // What `is_work` lets through.
    case record::task_submit: {
      if (r.get32(e, field::exec_rank) != static_cast<std::uint32_t>(rank)) break;
      task& t = tasks_[task_at(rank, number)];
      t.submit = e.time;
      t.loc = r.get32(e, field::loc);
      name_codelet(t, rank, r.get(e, field::codelet));
      break;
    }
    case record::task_access:
      accesses_.push_back({task_at(rank, number), r.get32(e, field::handle),
                           r.get32(e, field::ver_in), r.get32(e, field::ver_out),
                           static_cast<std::uint8_t>(r.get(e, field::mode))});
      break;
    case record::task_ready: {
      task& t = tasks_[task_at(rank, number)];
      t.ready = e.time;
      t.ready_cause = static_cast<std::uint8_t>(r.get(e, field::cause));
      t.ready_by = r.get(e, field::cause_id);
      break;
    }
    case record::task_begin: {
      end_state(e.lane, e.time);
      task& t = tasks_[task_at(rank, number)];
      t.begin = e.time;
      t.lane = e.lane;
      name_codelet(t, rank, r.get(e, field::codelet));
      break;
    }
    case record::task_end: {
      task& t = tasks_[task_at(rank, number)];
      t.end = e.time;
      t.status = static_cast<std::uint8_t>(r.get(e, field::status));
      // Until it says otherwise, a thread that ran a task looks for the next one.
      constexpr std::uint32_t worker = 1;
      constexpr std::uint8_t scheduling = 0;
      if (says_states_[e.lane] && (r.lanes()[e.lane].kind == worker || !waiting_[e.lane].empty()))
        begin_state(e, index, scheduling, 0, 0);
      break;
    }
    case record::kernel: {  // Told when it was over.
      task& t = tasks_[task_at(rank, number)];
      t.begin = r.moment(e, field::t_begin);
      t.end = std::max(t.begin, r.moment(e, field::t_end));
      t.lane = e.lane;
      break;
    }
    case record::state:
      says_states_[e.lane] = true;
      begin_state(e, index, static_cast<std::uint8_t>(r.get(e, field::state)),
                  static_cast<std::uint8_t>(r.get(e, field::reason_kind)), r.get(e, field::reason));
      break;
    case record::wait_begin:
      waiting_[e.lane].push_back({e.lane, e.time, e.time, index});
      break;
    case record::wait_end:
      end_wait(e);
      break;
    default:
      break;
  }
}

void model::read_move(const event& e, std::uint32_t index, int rank) {
  const run& r = *run_;
  const bool sends = r.get(e, field::dir) == 0;
  transfer& x = transfer_at(e, rank);
  if (e.what == record::xfer_post) {
    (sends ? x.post_send : x.post_receive) = e.time;
    x.bytes = r.get(e, field::bytes);
    x.tag = r.get(e, field::tag);
    x.reason = static_cast<std::uint8_t>(r.get(e, field::reason));
    if (!sends || x.for_task == ~std::uint64_t{0}) x.for_task = r.get(e, field::for_task);
    if (x.post_event == none) x.post_event = index;
  } else if (e.what == record::xfer_start) {
    (sends ? x.start : x.start_receive) = e.time;
  } else {
    (sends ? x.done_send : x.done_receive) = e.time;
    // What a type packs is known by now, and not before.
    if (const std::uint64_t moved = r.get(e, field::bytes); moved != 0) x.bytes = moved;
  }
}

void model::read_moves() {
  const event_list& events = run_->events();
  walk(
      events, is_move, [&](std::uint32_t i) { transfer_index_.fetch(key_of(events[i]).hash()); },
      [&](std::uint32_t i) {
        const std::uint32_t near = transfer_index_.guess(key_of(events[i]).hash());
        if (near < transfers_.size()) fetch(transfers_[near]);
      },
      [&](std::uint32_t i) {
        const event e = events[i];
        read_move(e, i, run_->rank_of(e));
      });
}

void model::fetch_number(std::uint32_t index) const {
  const std::uint64_t number = run_->get(run_->events()[index], field::task);
  if (number < task_of_number_.size()) __builtin_prefetch(&task_of_number_[number]);
}

void model::fetch_task(std::uint32_t index) const {
  const std::uint64_t number = run_->get(run_->events()[index], field::task);
  if (number >= task_of_number_.size() || task_of_number_[number] == none) return;
  fetch(tasks_[task_of_number_[number]]);
}

std::uint32_t model::task_at(int rank, std::uint64_t number) {
  const auto fresh = static_cast<std::uint32_t>(tasks_.size());
  // A damaged number must not allocate the machine: there are no more tasks than events.
  if (number < run_->events().size()) {
    if (number >= task_of_number_.size()) {
      const auto wanted = static_cast<std::size_t>(number) + 1;
      task_of_number_.resize(std::max(wanted, 2 * task_of_number_.size()), none);
    }
    std::uint32_t& first = task_of_number_[static_cast<std::size_t>(number)];
    if (first != none && tasks_[first].rank == rank) return first;
    if (first == none) return first = new_task(rank, number);
  }
  const auto [index, added] = task_index_.add(by_rank(rank, number), fresh);
  return added ? new_task(rank, number) : index;
}

std::uint32_t model::new_task(int rank, std::uint64_t number) {
  task made;
  made.number = number;
  made.rank = rank;
  made.codelet = none;
  tasks_.push_back(made);
  return static_cast<std::uint32_t>(tasks_.size() - 1);
}

transfer& model::transfer_at(const event& e, int rank) {
  const run& r = *run_;
  constexpr std::uint64_t user = 4;
  if (e.what == record::xfer_post && r.get(e, field::reason) == user) return message_at(e, rank);
  if (!posted_.empty()) {
    const std::uint32_t posted = posted_.find(name_on(e, rank));
    if (posted != none) return transfers_[posted];
  }
  const transfer_key key = key_of(e);
  const auto [index, added] = transfer_index_.add(
      key.hash(), static_cast<std::uint32_t>(transfers_.size()), [&](std::uint32_t at) {
        const transfer& x = transfers_[at];
        return key == transfer_key{x.handle, x.version, static_cast<std::uint32_t>(x.src),
                                   static_cast<std::uint32_t>(x.dst), x.seq};
      });
  return added ? new_transfer(key) : transfers_[index];
}

model::transfer_key model::key_of(const event& e) const {
  const run& r = *run_;
  const auto me = static_cast<std::uint32_t>(r.rank_of(e)), peer = r.get32(e, field::peer);
  const bool sends = r.get(e, field::dir) == 0;
  return {r.get32(e, field::handle), r.get32(e, field::version), sends ? me : peer,
          sends ? peer : me, r.get32(e, field::seq)};
}

transfer& model::new_transfer(const transfer_key& key) {
  transfer made;
  made.handle = key.handle;
  made.version = key.version;
  made.src = static_cast<int>(key.src);
  made.dst = static_cast<int>(key.dst);
  made.seq = key.seq;
  return transfers_.emplace_back(made);
}

/// What one rank calls a transfer in its start and its end: these have a short tag.
model::message_key model::name_on(const event& e, int rank) const {
  const run& r = *run_;
  const bool sends = r.get(e, field::dir) == 0;
  const auto me = static_cast<std::uint32_t>(rank), peer = r.get32(e, field::peer);
  return {trace::short_tag(r.get(e, field::tag)),
          sends ? me : peer,
          sends ? peer : me,
          r.get32(e, field::seq),
          r.get32(e, field::handle),
          2 * r.get32(e, field::version) + (sends ? 1 : 0)};
}

/// The transfer of an explicit message: the same for both ends, whatever they call the data.
transfer& model::message_at(const event& e, int rank) {
  const run& r = *run_;
  const message_key local = name_on(e, rank);
  const message_key key{r.get(e, field::tag), local.src, local.dst, local.seq};
  const auto [index, added] =
      message_index_.add(key, static_cast<std::uint32_t>(transfers_.size()));
  if (added)
    new_transfer({local.handle, r.get32(e, field::version), local.src, local.dst, local.seq});
  posted_.put(local, index);
  return transfers_[index];
}

void model::end_wait(const event& e) {
  const run& r = *run_;
  auto& open = waiting_[e.lane];
  const auto began = std::find_if(open.rbegin(), open.rend(), [&](const wait_span& w) {
    const event& begin = r.events()[w.event];
    return r.get(begin, field::what) == r.get(e, field::what) &&
           r.get(begin, field::id) == r.get(e, field::id);
  });
  if (began == open.rend()) return;
  began->end = e.time;
  began->ended = true;
  waits_.push_back(*began);
  open.erase(std::next(began).base());
  if (open.empty()) end_state(e.lane, e.time);
}

void model::begin_state(const event& e, std::uint32_t index, std::uint8_t state,
                        std::uint8_t reason_kind, std::uint64_t reason) {
  end_state(e.lane, e.time);
  open_states_[e.lane] = state_span{e.lane, index, e.time, e.time, state, reason_kind, reason};
}

datum& model::datum_at(std::uint32_t handle) {
  if (handle >= data_.size()) data_.resize(handle + 1);
  return data_[handle];
}

void model::name_codelet(task& of, int rank, std::uint64_t id) {
  const auto found = codelet_index_.find(by_rank(rank, id));
  if (found != codelet_index_.end()) of.codelet = found->second;
}

void model::end_state(std::uint32_t lane, std::int64_t at) {
  auto& open = open_states_[lane];
  if (!open) return;
  open->end = at;
  if (open->end > open->begin) states_.push_back(*open);
  open.reset();
}

void model::sort_accesses() {
  for (const access& a : accesses_) ++tasks_[a.task].accesses;
  std::uint32_t first = 0;
  for (task& t : tasks_) {
    t.first_access = first;
    first += t.accesses;
    t.accesses = 0;
  }
  std::vector<access> sorted(accesses_.size());
  for (const access& a : accesses_) {
    task& t = tasks_[a.task];
    sorted[t.first_access + t.accesses++] = a;
  }
  accesses_ = std::move(sorted);
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
  for (std::size_t h = 0; h < data_.size(); ++h) {
    const auto mine = std::span(writes_).subspan(starts[h], starts[h + 1] - starts[h]);
    std::sort(mine.begin(), mine.end(), [&](auto a, auto b) {
      return tasks_[accesses_[a].task].end < tasks_[accesses_[b].task].end;
    });
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
    std::int64_t begin;
    std::uint32_t seq, index;
    [[nodiscard]] auto key() const { return std::tie(handle, version, src, dst, begin, seq); }
    [[nodiscard]] bool repeats(const move& other) const {
      return std::tie(handle, version, src, dst) ==
             std::tie(other.handle, other.version, other.src, other.dst);
    }
  };
  std::vector<std::vector<move>> moves(data_.size() + 1);
  for (std::uint32_t i = 0; i < transfers_.size(); ++i) {
    const transfer& x = transfers_[i];
    moves[std::min<std::size_t>(x.handle, data_.size())].push_back(
        {x.handle, x.version, x.src, x.dst, x.begin(), x.seq, i});
  }
  constexpr std::uint8_t user = 4;  // Explicit messages are what the program asked for.
  transfers_of_.resize(data_.size());
  for (std::size_t h = 0; h < moves.size(); ++h) {
    std::vector<move>& of = moves[h];
    std::sort(of.begin(), of.end(), [](const move& a, const move& b) { return a.key() < b.key(); });
    for (std::size_t i = 1; i < of.size(); ++i) {
      transfer& x = transfers_[of[i].index];
      x.redundant = x.reason != user && x.end() != never && of[i].repeats(of[i - 1]);
    }
    if (h == data_.size()) break;
    std::stable_sort(of.begin(), of.end(),
                     [](const move& a, const move& b) { return a.begin < b.begin; });
    transfers_of_[h].reserve(of.size());
    for (const move& each : of) transfers_of_[h].push_back(each.index);
    mark_came_back(static_cast<std::uint32_t>(h));
  }
}

/// Two migrations of one version, there and back.
void model::mark_came_back(std::uint32_t handle) {
  constexpr std::uint8_t migrate = 3;
  std::map<std::tuple<std::uint32_t, int, int>, bool> migrated;  // Version, from, to: the last one.
  for (const std::uint32_t index : transfers_of_[handle]) {
    transfer& x = transfers_[index];
    const bool migrates = x.reason == migrate;
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

std::span<const std::uint32_t> model::events_of(std::uint32_t handle) const {
  return handle < data_.size() ? data_[handle].events : std::span<const std::uint32_t>();
}

const std::vector<std::uint32_t>& model::transfers_of(std::uint32_t handle) const {
  static const std::vector<std::uint32_t> empty;
  return handle < transfers_of_.size() ? transfers_of_[handle] : empty;
}

std::uint32_t model::find_task(int rank, std::uint64_t number) const {
  if (number < task_of_number_.size()) {
    const std::uint32_t first = task_of_number_[static_cast<std::size_t>(number)];
    if (first == none || tasks_[first].rank == rank) return first;
  }
  return task_index_.find(by_rank(rank, number));
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
  const task& t = tasks_[index];
  return (t.codelet < codelets_.size() ? codelets_[t.codelet].name : "task") + "#" +
         std::to_string(t.number);
}

std::string model::place(int rank, std::uint32_t loc) const {
  const auto found = places_.find(by_rank(rank, loc));
  return found == places_.end() ? "a line that was not recorded" : found->second;
}

std::string model::text(int rank, std::uint32_t id) const {
  const auto found = texts_.find(by_rank(rank, id));
  return found == texts_.end() ? std::string{} : found->second;
}

std::optional<std::uint32_t> model::find_handle(const std::string& name) const {
  const auto found = handle_names_.find(name);
  if (found != handle_names_.end()) return found->second;
  if (!name.starts_with('#') || name.size() > 9) return {};
  std::uint32_t number = 0;
  for (const char c : name.substr(1)) {
    if (c < '0' || c > '9') return {};
    number = number * 10 + static_cast<std::uint32_t>(c - '0');
  }
  if (number >= data_.size()) return {};
  return number;
}

std::uint32_t model::writer(std::uint32_t handle, std::uint32_t version) const {
  const auto at = place_of_version(handle, version);
  return at ? writer_of_version_[*at] : writers_.find(pair_of(handle, version));
}

}  // namespace deed::viewer
