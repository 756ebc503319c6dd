// SPDX-License-Identifier: MIT
#include <deed/trace/events.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/datum_memories.hpp"
#include "analysis/ask/describe.hpp"
#include "analysis/ask/diff_failures.hpp"
#include "analysis/ask/phases_then.hpp"
#include "analysis/ask/same_tasks.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/read/event_walk.hpp"
#include "analysis/say/backtrace.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

/// The ranks with such a copy; "none". Behind them, those of which it is not known.
struct ranks_with {
  std::string known = "none", not_known;
};

/// Those that have it on no device. A valid copy is the owner's, too.
ranks_with ranks_of(const datum_state& state, copy_kind kind, const memory_walk& memories) {
  ranks_with found;
  const auto add = [](std::string& to, const std::string& rank) {
    to += (to.empty() ? "" : ", ") + rank;
  };
  std::string known;
  const bool may_be = kind == copy_kind::stale || !state.valid_known;
  for (std::size_t rank = 0; rank < state.copies.size(); ++rank) {
    const copy_at& copy = state.copies[rank];
    if (copy.known && memories.is_on_device_of(static_cast<int>(rank))) continue;
    const bool of_owner = kind == copy_kind::shared && copy.kind == copy_kind::owner;
    if (copy.kind == kind || of_owner)
      add(known, std::to_string(rank) + (of_owner ? " (owner)"
                                         : kind == copy_kind::stale
                                             ? " (v" + std::to_string(copy.version) + ")"
                                             : ""));
    else if (!copy.known && may_be)
      add(found.not_known, std::to_string(rank));
  }
  if (!known.empty()) found.known = std::move(known);
  return found;
}

/// "rank 2", "ranks 0, 2".
std::string named_ranks(const std::string& list) {
  return (list.find(',') == std::string::npos ? "rank " : "ranks ") + list;
}

/// "none", "ranks 0, 2", "rank 1; of rank 3 not known", "not known".
std::string say_ranks(const ranks_with& of, bool named) {
  const std::string known = named && of.known != "none" ? named_ranks(of.known) : of.known;
  if (of.not_known.empty()) return known;
  const std::string rest = "of " + named_ranks(of.not_known) + " not known";
  return of.known == "none" ? rest : known + "; " + rest;
}

/// Valid or stale copies; of ranks that have one on a device, each memory with one.
std::string say_copies(const run& of, const datum_state& state, copy_kind kind,
                       const memory_walk& memories, bool named) {
  const ranks_with ranks = ranks_of(state, kind, memories);
  const std::string on_devices = say_memories(of, state, kind, memories);
  if (on_devices.empty()) return say_ranks(ranks, named);
  const bool more = ranks.known != "none" || !ranks.not_known.empty();
  return more ? say_ranks(ranks, true) + "; " + on_devices : on_devices;
}

/// Whether it was registered without a value; null: the step that says it was not recorded.
std::optional<bool> begins_empty(const model& of, std::uint32_t handle) {
  using trace::ledger_change;
  const run& r = of.events();
  for (const std::uint32_t index : of.events_of(handle)) {
    if (r.events().what(index) != record::ledger_step) continue;
    const auto change = static_cast<ledger_change>(r.get(r.events()[index], field::op));
    if (change == ledger_change::add || change == ledger_change::snapshot) return false;
    if (change == ledger_change::add_empty || change == ledger_change::snapshot_empty) return true;
  }
  return r.known_from() > 0 ? std::nullopt : std::optional(false);
}

/// Whether nobody has written it yet, as far as that is known.
bool is_as_registered(const datum_state& state) {
  const auto has_later = [](const copy_at& each) { return each.version > 0; };
  return state.version == 0 && state.version_known && state.all_known && state.writer == none &&
         state.call == none && state.message == none &&
         std::ranges::none_of(state.copies, has_later);
}

/// Whether it has a value; null: nobody wrote it, and how it began is not known.
std::optional<bool> has_value(const model& of, std::uint32_t handle, const datum_state& state) {
  if (state.ended || !is_as_registered(state)) return true;
  const bool per_rank = of.data()[handle].is_per_rank();
  if (!per_rank && state.owner == none && state.owner_known) return true;  // Not registered yet.
  const std::optional<bool> empty = begins_empty(of, handle);
  if (empty) return !*empty;
  const bool copied = !per_rank && std::ranges::any_of(state.copies, [](const copy_at& each) {
    return each.kind == copy_kind::shared;
  });
  return copied ? std::optional(true) : std::nullopt;
}

/// Why nobody has a valid copy; "": somebody may, or it has ended.
std::string why_no_copy(const datum_state& state, std::optional<bool> value) {
  if (!value) return "not known: it may have no value yet";
  if (!*value) return "none: it has no value yet";
  if (state.owner >= state.copies.size() || !state.copies[state.owner].ended) return {};
  const bool any = std::ranges::any_of(state.copies, [](const copy_at& each) {
    return each.kind == copy_kind::shared || !each.known;
  });
  return any ? ""
             : "none: rank " + std::to_string(state.owner) + ", its owner, has unregistered it";
}

/// "v1 on ranks 0, 2; v3 on rank 1", "v2 on every rank", "not known".
std::string versions_by_rank(const datum_state& state) {
  std::map<std::uint32_t, std::string> ranks;
  for (std::size_t rank = 0; rank < state.copies.size(); ++rank) {
    if (state.copies[rank].kind == copy_kind::absent) continue;
    std::string& mine = ranks[state.copies[rank].version];
    mine += (mine.empty() ? "" : ", ") + std::to_string(rank);
  }
  const auto has_it = [](const copy_at& each) { return each.kind != copy_kind::absent; };
  if (ranks.size() == 1 && std::ranges::all_of(state.copies, has_it))
    return "v" + std::to_string(ranks.begin()->first) + " on every rank";
  std::string text;
  for (const auto& [version, list] : ranks)
    text += (text.empty() ? "v" : "; v") + std::to_string(version) + " on " + named_ranks(list);
  return text.empty() ? "not known" : text;
}

std::string version_text(const datum& about, const datum_state& state, bool no_value) {
  const std::string version = "v" + std::to_string(state.version);
  if (state.ended)
    return is_as_registered(state) ? "none; nobody wrote it"
           : state.version_known   ? "none; " + version + " was the last"
                                   : "none";
  if (about.is_per_rank()) return versions_by_rank(state);
  if (state.owner_known && state.owner == none) return "none";
  if (state.version_known) return version + (no_value ? ", without a value" : "");
  return state.version == 0 ? "not known" : "not known, " + version + " or later";
}

/// The versions of data that tasks were to write, and did not.
class missing_versions {
 public:
  missing_versions(const model& of, std::uint32_t handle, const datum_state& state,
                   std::int64_t when)
      : of_(of), handle_(handle), tasks_(failed_writers(of, handle, state.version, when)) {}
  [[nodiscard]] bool any() const { return !tasks_.empty(); }
  /// "v2", "v2 to v4".
  [[nodiscard]] std::string versions() const {
    const std::string first = name(tasks_.front()), last = name(tasks_.back());
    return first == last ? first : first + " to " + last;
  }
  /// "v2: work#2 on rank 0 threw at 10 us, and may have changed the value; nor was any up to v4".
  [[nodiscard]] std::string why() const {
    const task& first = of_.tasks()[tasks_.front()];
    std::string text = name(tasks_.front()) + ": " + of_.task_on_rank(tasks_.front()) +
                       (first.threw() ? " threw at " : " was cancelled at ") + say_time(first.end);
    if (first.threw()) text += ", and may have changed the value";
    if (tasks_.size() > 1) text += "; nor was any up to " + name(tasks_.back());
    return text;
  }

 private:
  [[nodiscard]] std::string name(std::uint32_t task) const {
    for (const access& a : of_.accesses(of_.tasks()[task]))
      if (a.handle == handle_ && a.writes()) return "v" + std::to_string(a.ver_out);
    return {};
  }

  const model& of_;
  const std::uint32_t handle_;
  const std::vector<std::uint32_t> tasks_;
};

constexpr const char* not_registered = "not registered yet";

std::string owner_text(const datum& about, const datum_state& state) {
  if (state.ended) return "none: unregistered";
  if (about.is_per_rank()) return "every rank has its own";
  if (!state.owner_known) return "not known";
  return state.owner == none ? not_registered : "rank " + std::to_string(state.owner);
}

/// The first registration, where that is later; null: it is registered by then.
std::optional<event> registered_later(const model& of, std::uint32_t handle, std::int64_t when) {
  const run& r = of.events();
  for (const std::uint32_t index : of.data()[handle].events)
    if (r.events().what(index) == record::handle_register)
      return r.events().time(index) > when ? std::optional(event(r.events()[index])) : std::nullopt;
  return {};
}

/// "rank 2, then rank 1: called for, not done"; of many, the last.
std::string say_moves(const std::vector<std::uint32_t>& to) {
  constexpr std::size_t few = 4;
  std::string text;
  if (to.size() > few)
    text = "rank " + std::to_string(to.back()) + " in the end, after " +
           std::to_string(to.size() - 1) + " others";
  else
    for (const std::uint32_t rank : to)
      text += (text.empty() ? "rank " : ", then rank ") + std::to_string(rank);
  return text + ": called for, not done";
}

/// Why a version is not known.
std::string say_untold(const model& of) {
  const auto& ranks = of.events().ranks();
  const auto absent = std::ranges::find_if(
      ranks, [](const rank_info& each) { return !each.present && each.begun; });
  if (absent != ranks.end())
    return "what rank " + std::to_string(absent->rank) + " wrote is not known";
  return "what tasks wrote that were inserted before the recording begins is not known; " +
         (of.all_told_from() <= of.events().end()
              ? "the last of them ended at " + say_time(of.all_told_from())
              : std::string("one of them never ends"));
}

std::ptrdiff_t present_ranks(const run& of) {
  return std::ranges::count_if(of.ranks(), &rank_info::present);
}

/// "ranks 0, 1, the last at 3 ms, at x.cpp:7": where programs have come to its end.
std::string unregistered_text(const model& of, const datum_state& state) {
  const run& r = of.events();
  std::vector<int> ranks;
  for (const std::uint32_t index : state.unregistered)
    ranks.push_back(r.rank_of(r.events()[index]));
  std::ranges::sort(ranks);
  std::string list;
  for (const int rank : ranks) list += (list.empty() ? "" : ", ") + std::to_string(rank);
  const event last = r.events()[state.unregistered.back()];
  const int rank = r.rank_of(last);
  return "by " + named_ranks(list) + (ranks.size() > 1 ? ", the last at " : ", at ") +
         say_time(last.time) +
         (of.is_place(rank, r.get32(last, field::loc)) ? ", " + say_field(of, last, field::loc)
                                                       : "") +
         (state.ended                            ? ""
          : std::ssize(ranks) < present_ranks(r) ? "; not yet by the others"
                                                 : "; tasks of before use it");
}

/// Of a datum per rank that of `rank` alone, if there is one.
struct last_write {
  std::uint32_t task = none, message = none;
  std::uint32_t call = none;  // Of a program that writes itself.
  std::int64_t time = never;
};

last_write last_write_of(const model& of, std::uint32_t handle, const datum_state& state,
                         std::int64_t when, std::optional<int> rank) {
  last_write last;
  const bool per_rank = of.data()[handle].is_per_rank();
  const auto take = [&](std::uint32_t task, std::uint32_t message, std::int64_t time,
                        std::uint32_t call = none) {
    if (time != never && time <= when && time > last.time) last = {task, message, call, time};
  };
  if (!(per_rank && rank)) {
    if (state.writer != none) take(state.writer, none, of.tasks()[state.writer].end);
    if (state.call != none) take(none, none, of.events().events().time(state.call), state.call);
    if (state.message != none)
      take(none, state.message, of.transfers()[state.message].done_receive);
  }
  for (std::size_t at = 0; at < state.copies.size(); ++at) {
    const int mine = static_cast<int>(at);
    const copy_at& copy = state.copies[at];
    if (copy.kind <= copy_kind::stale || (per_rank && rank && mine != *rank)) continue;
    const std::uint32_t message = of.message_that_brought(handle, copy.version, mine);
    if (message != none) take(none, message, of.transfers()[message].done_receive);
    if (!per_rank || !rank) continue;
    const std::uint32_t task = of.writer_on(mine, handle, copy.version, when);
    if (task != none) take(task, none, of.tasks()[task].end);
  }
  if (!per_rank || state.ended) return last;
  for (const std::uint32_t index : of.events_of(handle)) {
    const event e = of.events().events()[index];
    if (is_own_write(of, e) && (!rank || of.events().rank_of(e) == *rank))
      take(none, none, e.time, index);
  }
  return last;
}

/// Of a datum that is as it was registered.
std::string say_nobody(const model& of, std::uint32_t handle, const datum_state& state) {
  const std::optional<bool> empty = begins_empty(of, handle);
  const std::string who = state.ended ? "nobody" : "nobody so far";
  if (!empty) return who;
  if (*empty) return who + ": it was registered without a value";
  return who + (state.ended ? ": it kept" : ": it has") + " the value with which it was registered";
}

std::string writer_text(const model& of, std::uint32_t handle, const datum_state& state,
                        std::int64_t when, std::optional<int> rank) {
  const last_write last = last_write_of(of, handle, state, when, rank);
  if (last.message != none) {
    const transfer& x = of.transfers()[last.message];
    return say_message(of, x) + ", which rank " + std::to_string(x.dst) + " had received at " +
           say_time(last.time);
  }
  if (last.call != none) {
    const event e = of.events().events()[last.call];
    return "the program of rank " + std::to_string(of.events().rank_of(e)) + " at " +
           say_field(of, e, field::loc) + ", called for at " + say_time(e.time);
  }
  if (!state.version_known) return "not known";
  const bool of_one = of.data()[handle].is_per_rank() && rank && !state.ended &&
                      static_cast<std::size_t>(*rank) < state.copies.size();
  const std::uint32_t version =
      of_one ? state.copies[static_cast<std::size_t>(*rank)].version : state.version;
  if (last.task == none)
    return version == 0 && state.all_known ? say_nobody(of, handle, state) : "not recorded";
  const task& t = of.tasks()[last.task];
  return of.task_on_rank(last.task) + " at " + of.place(t.rank, t.loc) + ", ended " +
         say_time(t.end);
}

answer say_owner(const model& of, std::uint32_t handle, std::int64_t when, std::optional<int> rank,
                 const undone_by& left_out = {}) {
  if (auto missing = not_recorded(of, {"task", "access", "owner"})) return std::move(*missing);
  if (auto missing = not_known_at(of, when)) return std::move(*missing);
  const run& r = of.events();
  const datum& about = of.data()[handle];
  const datum_state state = state_at(of, handle, when, left_out);
  answer said;
  said.sentences.push_back(of.handle_name(handle) + " at " + say_time(when));
  if (!state.version_known && when < of.all_told_from()) said.sentences.push_back(say_untold(of));
  table card{"", {"", ""}, {}};
  const std::optional<event> later = registered_later(of, handle, when);
  const std::optional<bool> value = has_value(of, handle, state);
  card.rows.push_back({"owner", later ? not_registered : owner_text(about, state)});
  if (!state.moves_to.empty()) card.rows.push_back({"moves to", say_moves(state.moves_to)});
  card.rows.push_back({"version", later ? "none" : version_text(about, state, value == false)});
  card.rows.push_back({"last writer", later ? "none" : writer_text(of, handle, state, when, rank)});
  if (const missing_versions missing(of, handle, state, when); missing.any())
    card.rows.push_back({"not written", missing.why()});
  const bool copies = r.records("xfer") && r.records("cache");
  memory_walk memories = memories_beside_devices(of, handle);
  memories.advance(when);
  const auto add_copies = [&](const char* what, copy_kind kind) {
    card.rows.push_back(
        {what, copies ? say_copies(r, state, kind, memories, true) : "not recorded"});
  };
  if (const std::string why = why_no_copy(state, value); !why.empty() && !later)
    card.rows.push_back({"valid copies", why});
  else
    add_copies("valid copies", copy_kind::shared);
  add_copies("stale copies", copy_kind::stale);
  std::map<std::string, std::size_t> moves;
  for (const std::uint32_t x : state.in_flight) {
    const transfer& moved = of.transfers()[x];
    const std::string version = "v" + std::to_string(moved.version);
    const bool missing = is_missing(of, handle, moved.version);
    ++moves[(missing ? "word that " + version + " is not there," : version) + " from " +
            std::to_string(moved.src) + " to " + std::to_string(moved.dst)];
  }
  std::string moving;
  for (const auto& [what, times] : moves)
    moving +=
        (moving.empty() ? "" : "; ") + what + (times == 1 ? "" : ", " + say_some(times, "time"));
  if (moving.empty())
    moving = !r.records("xfer") ? "not recorded"
             : state.all_known  ? "nothing"
                                : "nothing that was recorded";
  card.rows.push_back({"in flight", moving});
  std::string lent;
  for (const live_borrow& b : state.borrows)
    lent += (lent.empty() ? "" : "; ") +
            (b.holder == 0 ? "the program of rank " + std::to_string(b.rank)
                           : of.task_name(b.rank, b.holder)) +
            ", " + say_borrow(b.kind) + ", at " + of.place(b.rank, b.loc);
  card.rows.push_back({"lent to", !lent.empty()     ? lent
                                  : state.all_known ? "nobody"
                                                    : "nobody that was recorded"});
  if (std::string phases = say_phases_at(of, when); !phases.empty())
    card.rows.push_back({"phase", std::move(phases)});
  const std::string place = of.place(about.home_reporter, about.loc);
  card.rows.push_back({"registered", later
                                         ? "not yet: rank " + std::to_string(r.rank_of(*later)) +
                                               " does at " + say_time(later->time) + ", at " + place
                                         : place});
  if (!state.unregistered.empty())
    card.rows.push_back({"unregistered", unregistered_text(of, state)});
  for (const std::uint32_t index : about.events) {
    const event& e = r.events()[index];
    if (e.what != record::error || e.time > when) continue;
    card.rows.push_back({"error", say_event(of, e)});
    const std::uint64_t expected = r.get(e, field::expected), actual = r.get(e, field::actual);
    if (expected == actual) continue;  // The error is not about a number.
    card.rows.push_back({"expected", std::to_string(expected)});
    card.rows.push_back({"actual", std::to_string(actual)});
  }
  said.tables.push_back(std::move(card));
  return said;
}

}  // namespace

answer who_owned(const model& of, std::uint32_t handle, std::int64_t when,
                 std::optional<int> rank) {
  return say_owner(of, handle, when, rank);
}

answer describe_handle(const model& of, std::uint32_t handle, std::int64_t when,
                       const undone_by& left_out) {
  answer said = say_owner(of, handle, when, {}, left_out);
  for (const repeat& each : repeats(of, handle))
    said.sentences.push_back((each.cause == "ping_pong" ? "" : "Sent twice: ") + each.sentence);
  return said;
}

std::string say_version_of_error(const model& of, std::uint32_t index) {
  const run& r = of.events();
  const event e = r.events()[index];
  if (e.what != record::error) return {};
  const std::uint32_t handle = r.get32(e, field::handle), version = r.get32(e, field::version);
  if (handle >= of.data().size() || version == none || of.data()[handle].is_per_rank()) return {};
  const moment_of_error when = before_unwinding(of, index);
  const datum_state state = state_at(of, handle, when.time, when.left_out);
  if (!state.version_known || state.ended || state.version >= version) return {};
  return "the error is about v" + std::to_string(version) + " of " + of.handle_name(handle) +
         ", to which its program had come; what had been written by then is v" +
         std::to_string(state.version);
}

std::uint32_t task_that_failed(const model& of, const event& e) {
  const run& r = of.events();
  if (e.what == record::error && r.get(e, field::task, trace::no_task) != trace::no_task)
    return of.find_task(r.rank_of(e), r.get(e, field::task));
  // Of a task whose body threw, recordings made by earlier versions had an error without its name,
  // and then its end.
  const auto fits = [&](const task& t) {
    return e.what == record::error
               ? t.status == static_cast<std::uint8_t>(trace::task_status::threw) && t.end >= e.time
               : t.end == never;
  };
  std::uint32_t found = none;
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    const task& t = of.tasks()[i];
    const bool open = t.lane == e.lane && t.begin != never && t.begin <= e.time && fits(t);
    // A task that waits runs others: the last one.
    if (open && (found == none || of.tasks()[found].begin <= t.begin)) found = i;
  }
  return found;
}

namespace {

/// "block#3@error, x@error": what to ask for next.
std::string say_data_to_ask(const model& of, const std::vector<std::uint32_t>& handles) {
  constexpr std::size_t few = 8;
  std::vector<std::string> names;
  for (const std::uint32_t handle : handles) {
    std::string name = of.handle_name(handle) + "@error";
    if (names.size() < few && std::ranges::find(names, name) == names.end())
      names.push_back(std::move(name));
  }
  std::string text;
  for (const std::string& each : names) text += (text.empty() ? "" : ", ") + each;
  return text;
}

/// A crash, or an error that names a task alone: the task, and the data that it had.
void say_task_that_failed(const model& of, std::uint32_t index, answer& into) {
  const task& t = of.tasks()[index];
  std::string text = "in " + of.task_label(index);
  if (t.lane != none) text += " on " + say_lane(of.events(), t.lane);
  if (t.begin != never) text += ", which began at " + say_time(t.begin);
  if (t.codelet < of.codelets().size())
    text +=
        "; codelet `" + of.codelets()[t.codelet].name + "` at " + of.codelets()[t.codelet].place;
  into.sentences.push_back(text + "; inserted at " + of.place(t.rank, t.loc) +
                           in_phase_of_task(of, index));
  std::vector<std::uint32_t> handles;
  for (const access& each : of.accesses(t)) handles.push_back(each.handle);
  if (handles.empty()) {
    into.sentences.emplace_back("what data it had is not recorded");
    return;
  }
  into.sentences.push_back("who owned its data then: " + say_data_to_ask(of, handles));
  answer described = describe_task(of, index);
  std::ranges::move(described.tables, std::back_inserter(into.tables));
}

/// What the program of a rank had borrowed then: "x for writing at heat.cpp:17".
std::string say_borrowed(const model& of, int rank, std::int64_t when) {
  constexpr std::uint64_t application = 0;
  const run& r = of.events();
  std::vector<event> open;
  walk(
      r.events(), [](record what) { return what == record::borrow || what == record::release; },
      [&](std::uint32_t index) {
        const event e = r.events()[index];
        if (e.time > when || r.rank_of(e) != rank || r.get(e, field::holder) != application) return;
        if (e.what == record::borrow) return open.push_back(e);
        const auto at = std::ranges::find_if(open, [&](const event& each) {
          return r.get(each, field::handle) == r.get(e, field::handle) &&
                 r.get(each, field::kind) == r.get(e, field::kind);
        });
        if (at != open.end()) open.erase(at);
      });
  std::string text;
  for (const event& e : open)
    text += (text.empty() ? "" : ", ") + say_field(of, e, field::handle) + " " +
            say_borrow(r.get(e, field::kind)) + " at " + say_field(of, e, field::loc);
  return text;
}

}  // namespace

void say_thread_that_failed(const model& of, std::uint32_t index, answer& into) {
  const run& r = of.events();
  const event e = r.events()[index];
  std::string text = say_lane(r, e.lane) + " was in no task then";
  const auto holds = [&](const auto& span) {
    return span.lane == e.lane && span.begin <= e.time && span.end >= e.time;
  };
  if (const std::string phases = phases_of_thread(of, e.lane, index); !phases.empty())
    text += ", in " + phases;
  into.sentences.push_back(std::move(text));
  for (const wait_span& each : of.waits())
    if (holds(each))
      into.sentences.push_back(say_event(of, r.events()[each.event]) + ", since " +
                               say_time(each.begin));
  if (const std::string lent = say_borrowed(of, r.rank_of(e), e.time); !lent.empty())
    into.sentences.push_back("its program had borrowed " + lent);
}

namespace {

/// What names neither, such as a deadlock: the data that somebody waited for then.
void say_what_to_ask(const model& of, const event& e, answer& into) {
  std::vector<std::uint32_t> handles;
  for (const wait_edge& each : wait_graph(of, e.time))
    if (each.transfer != none) handles.push_back(of.transfers()[each.transfer].handle);
  const std::string names = say_data_to_ask(of, handles);
  const char* const nothing_named =
      e.what == record::fatal_signal ? "a signal names no datum" : "the error names no datum";
  into.sentences.push_back(nothing_named + std::string("; ask for one by NAME@error") +
                           (names.empty() ? "" : ", of those that somebody waits for: " + names) +
                           "; `waits` says who waits for whom");
}

}  // namespace

namespace {

/// "rank 1 was in long_one#1, since 153.181 ms": of those that say nothing more.
void say_open_tasks(const model& of, answer& into) {
  constexpr std::size_t few = 8;
  const std::vector<silent_rank> silent = silent_ranks(of);
  std::size_t said = 0;
  for (std::uint32_t i = 0; i < of.tasks().size() && said < few; ++i) {
    const task& t = of.tasks()[i];
    if (t.begin == never || t.end != never ||
        std::ranges::find(silent, t.rank, &silent_rank::rank) == silent.end())
      continue;
    const std::string written = written_by(of, t);
    into.sentences.push_back("rank " + std::to_string(t.rank) + " was in " + of.task_label(i) +
                             (written.empty() ? "" : ", which writes " + written) + ", since " +
                             say_time(t.begin));
    ++said;
  }
}

}  // namespace

namespace {

std::string say_throw(const model& of, std::uint32_t thrown) {
  const task& t = of.tasks()[thrown];
  return of.task_label(thrown) + " threw on " +
         (t.lane == none ? "rank " + std::to_string(t.rank) : say_lane(of.events(), t.lane));
}

/// What a task was to write, else what it used first; `none`: not recorded.
std::uint32_t datum_at_work(const model& of, std::uint32_t task) {
  const auto used = of.accesses(of.tasks()[task]);
  const auto written = std::ranges::find_if(used, &access::writes);
  if (written != used.end()) return written->handle;
  return used.empty() ? none : used.front().handle;
}

/// The error comes later: with the `wait()` that throws on what the task threw.
answer at_first_throw(const model& of, std::optional<std::uint32_t> handle, std::uint32_t thrown,
                      const event& error) {
  const task& t = of.tasks()[thrown];
  const std::uint32_t about = handle.value_or(datum_at_work(of, thrown));
  answer said;
  if (about < of.data().size() && of.data()[about].known)
    said = say_owner(of, about, t.end, t.rank);
  const std::string first[]{
      say_time(t.end) + ": " + say_throw(of, thrown),
      "the task is " + of.task_on_rank(thrown) + ", inserted at " + of.place(t.rank, t.loc) +
          in_phase_of_task(of, thrown),
      "it was told of at " + say_time(error.time) + ": " + say_event(of, error)};
  said.sentences.insert(said.sentences.begin(), std::begin(first), std::end(first));
  tell_backtrace(of, error, said);
  said.findings = true;
  return said;
}

}  // namespace

answer at_first_error(const model& of, std::optional<std::uint32_t> handle, const run_part& part) {
  const run& r = of.events();
  answer said;
  table others{"errors", {"time", "what"}, {}};
  std::vector<event> all;
  std::uint32_t first_index = none;
  std::int64_t first_elsewhere = never;
  for (const std::uint32_t index : of.failures()) {
    const event e = r.events()[index];
    if (part.has(of, e)) {
      if (all.empty()) first_index = index;
      all.push_back(e);
    } else if (first_elsewhere == never) {
      first_elsewhere = e.time;
    }
  }
  const std::uint32_t thrown = failures(of, part).first_thrown(of);
  if (thrown != none && !all.empty()) return at_first_throw(of, handle, thrown, all.front());
  if (all.empty()) {
    const bool cut = handle && part.is_whole() && !say_left_open(r).empty();
    if (cut) said = say_owner(of, *handle, r.end(), {});
    said.sentences.emplace_back(cut               ? "no error was recorded: that is at its end"
                                : part.is_whole() ? "no error was recorded"
                                                  : "no error was recorded in this part");
    if (thrown != none)
      said.sentences.push_back(say_time(of.tasks()[thrown].end) + ": " + say_throw(of, thrown) +
                               ": its program caught that, or had not come to it");
    if (first_elsewhere != never)
      said.sentences.push_back("the first one of the run is at " + say_time(first_elsewhere));
    if (std::string stop = say_stop(of); !stop.empty()) said.sentences.push_back(std::move(stop));
    for (std::string& each : say_silent_ranks(of)) said.sentences.push_back(std::move(each));
    say_open_tasks(of, said);
    return said;
  }
  const event& first = all.front();
  if (!handle && first.what == record::error) handle = r.get32(first, field::handle);
  const bool of_datum = handle && *handle < of.data().size() && of.data()[*handle].known;
  const std::uint32_t failed =
      of_datum && first.what == record::error ? none : task_that_failed(of, first);
  const moment_of_error when = before_unwinding(of, first_index);
  if (of_datum) said = say_owner(of, *handle, when.time, r.rank_of(first), when.left_out);
  if (of_datum && (when.time != first.time || when.left_out.from != none))
    said.sentences.emplace_back(
        "that is just before: data end while an exception leaves the program, and the error is "
        "recorded after that");
  const bool own_datum = of_datum && handle == r.get32(first, field::handle);
  if (std::string versions = say_version_of_error(of, first_index); own_datum && !versions.empty())
    said.sentences.push_back(std::move(versions));
  if (const std::uint32_t task = task_that_failed(of, first); failed == none && task != none)
    said.sentences.insert(said.sentences.begin(),
                          "the task is " + of.task_on_rank(task) + ", inserted at " +
                              of.place(of.tasks()[task].rank, of.tasks()[task].loc) +
                              in_phase_of_task(of, task));
  if (failed != none)
    say_task_that_failed(of, failed, said);
  else if (first.what == record::fatal_signal)
    say_thread_that_failed(of, first_index, said);
  const bool of_program = first.what == record::error && r.get(first, field::code) == 0;
  if (failed == none && !of_datum && !of_program) say_what_to_ask(of, first, said);
  if (std::string phases = say_phases_at(of, first.time); !of_datum && !phases.empty())
    said.sentences.push_back("phase then: " + std::move(phases));
  said.sentences.insert(said.sentences.begin(), say_time(first.time) + ": " + say_event(of, first));
  tell_backtrace(of, first, said);
  for (const event& e : all) others.rows.push_back({say_time(e.time), say_event(of, e)});
  if (all.size() > 1) said.tables.push_back(std::move(others));
  said.findings = true;
  return said;
}

namespace {

answer say_state(const model& of, std::int64_t when, const undone_by& left_out,
                 const run_part& part) {
  if (auto missing = not_recorded(of, {"task", "access", "owner"})) return std::move(*missing);
  if (auto missing = not_known_at(of, when)) return std::move(*missing);
  answer said;
  table rows{"state at " + say_time(when),
             {"handle", "owner", "version", "valid", "stale", "in flight", "lent"},
             {}};
  for (std::uint32_t h = 0; h < of.data().size(); ++h) {
    if (!of.data()[h].known || !part.has_datum(of, h)) continue;
    const datum_state s = state_at(of, h, when, left_out);
    memory_walk memories = memories_beside_devices(of, h);
    memories.advance(when);
    const std::optional<bool> value = has_value(of, h, s);
    std::string version = version_text(of.data()[h], s, value == false);
    if (const missing_versions missing(of, h, s, when); missing.any() && !s.ended)
      version += "; not written: " + missing.versions();
    rows.rows.push_back({of.handle_name(h), owner_text(of.data()[h], s), std::move(version),
                         !value    ? "not known"
                         : !*value ? "none"
                                   : say_copies(of.events(), s, copy_kind::shared, memories, false),
                         say_copies(of.events(), s, copy_kind::stale, memories, false),
                         say_count(s.in_flight.size()), say_count(s.borrows.size())});
  }
  said.tables.push_back(std::move(rows));
  if (std::string phases = say_phases_at(of, when); !phases.empty())
    said.sentences.push_back("phase then: " + std::move(phases));
  if (when >= of.events().end())
    for (std::string& each : say_silent_ranks(of)) said.sentences.push_back(std::move(each));
  return said;
}

}  // namespace

answer state(const model& of, std::int64_t when, const run_part& part) {
  return say_state(of, when, {}, part);
}

moment_of_error moment_of_first_failure(const model& of) {
  const std::uint32_t thrown = failures(of, {}).first_thrown(of);
  return thrown == none ? before_unwinding(of, of.failures().front())
                        : moment_of_error{of.tasks()[thrown].end, {}};
}

answer state_at_first_error(const model& of, const run_part& part) {
  const moment_of_error when = moment_of_first_failure(of);
  return say_state(of, when.time, when.left_out, part);
}

}  // namespace deed::viewer
