// SPDX-License-Identifier: MIT
#include "analysis/say/sentence.hpp"

#include <deed/trace/events.hpp>

#include "analysis/query/query.hpp"
#include "analysis/say/drop_words.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace deed::viewer {
namespace {

using words = std::vector<std::string_view>;

// The enumerators of <deed/trace/events.hpp>, in words.
const words& meanings(record what, field f) {
  static const words nothing;
  static const words drop = [] {
    words names;
    for (const drop_words& each : words_of_drops) names.emplace_back(each.name);
    return names;
  }();
  static const words owner{"register", "migrate_call", "write_elsewhere", "redistribute",
                           "release",  "snapshot",     "transfer",        "write"};
  static const words signal{"unknown",   "no_memory",      "stack_ends", "nothing_behind",
                            "no_result", "no_instruction", "aborted",    "sent"};
  static const words ready{"submit", "task", "transfer", "program", "gate"};
  static const words reason{"task",      "prefetch", "write-back", "migration", "message",
                            "reduction", "flush",    "relay",      "fetch"};
  static const words change{"add",      "add_empty",      "remove",         "fetch", "migrate",
                            "flush",    "write",          "flush_all",      "keep",  "keep_not",
                            "snapshot", "snapshot_empty", "snapshot_holder"};
  static const words direction{"send", "receive"};
  static const words mode{"R", "W", "RW", "REDUX", "SCRATCH", "COMMUTE"};
  static const words task_status{"ok", "threw", "cancelled"};
  static const words transfer_status{"ok", "failed", "cancelled"};
  static const words state{"scheduling",       "fetch wait", "idle, no task",
                           "idle, dependency", "overhead",   "blocked"};
  static const words copy{"Invalid", "Shared", "Owner", "Pending"};
  static const words reason_kind{"none", "task", "handle", "rank", "gate", "location"};
  static const words lookup{"hit", "miss_cold", "miss_version", "miss_dropped", "miss_capacity"};
  static const words borrow{"shared", "mut"};
  static const words wait{"task", "handle",      "all",     "barrier",    "rank",
                          "gate", "full window", "request", "collective", "clocks"};
  static const words how{"on", "on_owner_of", "sole owner", "policy"};
  static const words memory{"use", "end", "room"};
  static const words opener{"task", "message", "program"};
  switch (f) {
    case field::by_kind:
      return opener;
    case field::cause:
      if (what == record::alloc || what == record::free) return memory;
      if (what == record::cache_drop) return drop;
      if (what == record::fatal_signal) return signal;
      if (what == record::owner || what == record::copy_state) return owner;
      return what == record::task_ready ? ready : nothing;
    case field::reason:
      return what == record::xfer_post ? reason : nothing;
    case field::dir:
      return direction;
    case field::mode:
      return mode;
    case field::status:
      return what == record::task_end ? task_status : transfer_status;
    case field::state:
      return what == record::copy_state ? copy : state;
    case field::reason_kind:
      return reason_kind;
    case field::result:
      return lookup;
    case field::kind:
      return what == record::borrow || what == record::release ? borrow : nothing;
    case field::what:
      return wait;
    case field::how:
      return how;
    case field::op:
      return change;
    default:
      return nothing;
  }
}

}  // namespace

std::string say_group(const recorded_group& group) {
  constexpr std::size_t enough = 40;
  const std::size_t cut = group.text.find(',', enough);
  if (cut == std::string::npos) return "group " + group.text;
  return "group " + group.text.substr(0, cut) + ",…," + std::to_string(group.members.back()) +
         " (" + std::to_string(group.size) + ")";
}

std::string say_lane(const run& of, std::uint32_t lane) {
  return "rank " + std::to_string(of.lanes()[lane].rank) + " " + of.lanes()[lane].name;
}

std::string version_name(const model& of, std::uint32_t handle, std::uint32_t version) {
  return of.handle_name(handle) + " v" + std::to_string(version);
}

std::string state_name(std::uint8_t state) {
  const words& known = meanings(record::state, field::state);
  return state < known.size() ? std::string(known[state]) : "other";
}

std::string reason_name(std::uint8_t reason) {
  const words& known = meanings(record::xfer_post, field::reason);
  return reason < known.size() ? std::string(known[reason]) : "other";
}

namespace {

/// By the number of a text.
bool names_what_it_records(record what, field f) {
  return what == record::counter
             ? f == field::id
             : f == field::name && (what == record::phase_push || what == record::phase_pop);
}

/// By another process, whose number stands for an address.
bool is_sent(const run& r, const event& e) {
  return r.get(e, field::cause, 0) == static_cast<std::uint64_t>(trace::signal_cause::sent);
}

std::string say_address(std::uint64_t address) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), address, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

/// A task of another rank, as the one that recorded it counts: "gemm#5 by the count of rank 2".
std::string say_counted(const std::string& codelet, std::uint64_t number, int rank) {
  return codelet + "#" + std::to_string(number) + " by the count of rank " + std::to_string(rank);
}

/// Every rank says it of every task, and one of them runs it: of that one nothing else may be
/// recorded.
std::string say_submitted(const model& of, const event& e) {
  const run& r = of.events();
  const std::uint64_t number = r.get(e, field::task);
  const auto executor = static_cast<int>(r.get32(e, field::exec_rank));
  const std::uint32_t codelet = of.codelet_of(r.rank_of(e), r.get(e, field::codelet));
  if (executor != r.rank_of(e) && !of.ranks_count_alike())
    return say_counted(codelet == none ? "task" : of.codelets()[codelet].name, number,
                       r.rank_of(e));
  return of.find_task(executor, number) != none || codelet == none
             ? of.task_name(executor, number)
             : of.codelets()[codelet].name + "#" + std::to_string(number);
}

/// A record names a task of its own rank. A send is for a task of the receiver, but for a
/// write-back.
std::string say_named_task(const model& of, const event& e, std::uint64_t number) {
  const run& r = of.events();
  const auto says = [&](field f, auto what) {
    return r.get(e, f) == static_cast<std::uint64_t>(what);
  };
  const bool for_peer =
      e.what == record::xfer_post && says(field::dir, trace::direction::send) !=
                                         says(field::reason, trace::transfer_reason::write_back);
  if (!for_peer) return of.task_name(r.rank_of(e), number);
  if (of.ranks_count_alike())
    return of.task_name(static_cast<int>(r.get32(e, field::peer)), number);
  const std::uint32_t x = transfer_of(of, e);
  return x != none && of.task_for(of.transfers()[x]) != none
             ? of.name_task_for(of.transfers()[x])
             : say_counted("task", number, r.rank_of(e));
}

/// Of an explicit message, instead of a task that it would be for: "none; called at heat.cpp:57, in
/// group 2".
std::string say_message_call(const model& of, const event& post) {
  std::string text = "none";
  if (const std::string line = of.called_at(post); !line.empty()) text += "; called at " + line;
  const auto group = trace::message_call::of(of.events().get(post, field::for_task)).group;
  if (group != 0) text += ", in group " + std::to_string(group);
  return text;
}

/// Of a wait for what is sent.
std::uint32_t message_awaited(const model& of, const event& wait, std::uint64_t tag) {
  const run& r = of.events();
  const std::uint64_t peer = r.get(wait, field::peer, trace::nothing);
  if (peer == trace::nothing) return none;
  const auto sends = of.transfers_from(r.rank_of(wait), r.get32(wait, field::handle),
                                       r.get32(wait, field::version));
  const auto found = std::ranges::find_if(sends, [&](std::uint32_t i) {
    const transfer& x = of.transfers()[i];
    return x.is_message() && x.dst == static_cast<int>(peer) && of.short_tag_of(x) == tag;
  });
  return found == sends.end() ? none : *found;
}

/// The start and the end of a message have a short one, and the wait for it.
std::uint64_t whole_tag(const model& of, const event& e, std::uint64_t tag) {
  if (e.what == record::wait_begin) {
    const std::uint32_t message = message_awaited(of, e, tag);
    return message == none ? tag : of.tag_of(of.transfers()[message]);
  }
  if (e.what != record::xfer_start && e.what != record::xfer_done) return tag;
  const std::uint32_t message = of.message_of(e);
  if (message == none) return tag;
  const transfer& x = of.transfers()[message];
  return of.short_tag_of(x) == tag ? of.tag_of(x) : tag;
}

/// A wait that no line of the program calls for.
bool is_of_session(const run& r, const event& e) {
  if (e.what != record::wait_begin || r.get32(e, field::loc) != trace::nothing) return false;
  const auto kind = static_cast<trace::wait_kind>(r.get(e, field::what));
  const auto met = static_cast<trace::meeting_kind>(r.get(e, field::id));
  return kind == trace::wait_kind::clocks ||
         (kind == trace::wait_kind::barrier && met != trace::meeting_kind::barrier);
}

}  // namespace

std::string say_field(const model& of, const event& e, field f) {
  const run& r = of.events();
  const int rank = r.rank_of(e);
  const std::uint64_t value = r.get(e, f);
  const words& known = meanings(e.what, f);
  if (value < known.size()) return std::string(known[value]);
  if (names_what_it_records(e.what, f))
    if (std::string name = of.text(rank, static_cast<std::uint32_t>(value)); !name.empty())
      return name;
  switch (f) {
    case field::handle:
      return value == none ? "none" : of.handle_name(static_cast<std::uint32_t>(value));
    case field::from:
    case field::to:
    case field::home_rank:
    case field::rank:
      return value == none
                 ? (f == field::from || e.what == record::ledger_step ? "none" : "every rank")
                 : std::to_string(value);
    case field::address:
      return is_sent(r, e) ? std::to_string(value) : say_address(value);
    case field::peer:
    case field::version:
    case field::number:
      return value == none ? "none" : std::to_string(value);
    case field::step:
      return value == ~std::uint64_t{0} ? "none" : std::to_string(value);
    case field::task:
      if (e.what == record::task_submit) return say_submitted(of, e);
      [[fallthrough]];
    case field::for_task:
      if (posts_message(r, e)) return say_message_call(of, e);
      return value == ~std::uint64_t{0} ? "none" : say_named_task(of, e, value);
    case field::codelet: {
      const std::uint32_t codelet = of.codelet_of(rank, value);
      return codelet == none ? std::to_string(value) : of.codelets()[codelet].name;
    }
    case field::tag:
      return std::to_string(whole_tag(of, e, value));
    case field::loc:
      if (is_of_session(r, e)) return "the session itself";
      return of.place(rank, static_cast<std::uint32_t>(value));
    case field::held:
      if (value == trace::no_size) return "not known";
      [[fallthrough]];
    case field::bytes:
      return say_bytes(value);
    case field::code: {
      std::string digits = std::to_string(value);
      if (value == 0) return "none";  // Of an exception of the program.
      digits.insert(0, digits.size() < 3 ? 3 - digits.size() : 0, '0');
      return "deed[D" + digits + "]";
    }
    case field::msg:
    case field::backtrace:
    case field::parent:
      if (value == none) return "none";
      return f == field::msg && !of.text(rank, static_cast<std::uint32_t>(value)).empty()
                 ? "\"" + of.text(rank, static_cast<std::uint32_t>(value)) + "\""
                 : std::to_string(value);
    case field::i:
    case field::j:
    case field::prio:
    case field::value:
    case field::index:
      return std::to_string(static_cast<std::int64_t>(value));
    case field::name:
    case field::file:
    case field::frames:
    case field::members:
    case field::text: {
      const std::string_view text = r.text(e, f);
      return text.data() == nullptr ? std::to_string(value) : "\"" + std::string(text) + "\"";
    }
    default:
      return std::to_string(value);
  }
}

std::string say_borrow(std::uint64_t kind) { return kind == 0 ? "for reading" : "for writing"; }

/// Of those that a recording has; their numbers are those of Linux.
std::string signal_name(std::uint64_t number) {
  switch (number) {
    case 4:
      return "SIGILL";
    case 6:
      return "SIGABRT";
    case 7:
      return "SIGBUS";
    case 8:
      return "SIGFPE";
    case 11:
      return "SIGSEGV";
    default:
      return "signal " + std::to_string(number);
  }
}

std::string say_dropping_task(const model& of, const event& drop) {
  const run& r = of.events();
  const std::uint32_t writer =
      of.writer(r.get32(drop, field::handle), r.get32(drop, field::version) + 1);
  if (writer != none) return of.task_name(writer);
  const std::uint64_t number = r.get(drop, field::by);
  return of.ranks_count_alike() ? of.task_name(r.rank_of(drop), number)
                                : say_counted("task", number, r.rank_of(drop));
}

std::string failure_name(const model& of, std::uint32_t index) {
  const event e = of.events().events()[index];
  if (e.what == record::stop_run) return "stop_run";
  return e.what == record::fatal_signal ? signal_name(of.events().get(e, field::signo)) : "error";
}

namespace {

/// As the program printed it: ", sent by process 7", ": no memory lies behind 0x10".
std::string say_cause(const run& r, const event& e) {
  const auto cause = static_cast<trace::signal_cause>(r.get(e, field::cause, 0));
  std::string text(trace::said_cause(cause));
  if (is_sent(r, e)) text += " " + std::to_string(r.get(e, field::address));
  if (trace::has_address(cause)) text += " " + say_address(r.get(e, field::address));
  return text;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// What opened a gate.
std::string say_opener(const model& of, const event& e) {
  const std::uint64_t by = of.events().get(e, field::by);
  switch (of.events().get(e, field::by_kind)) {
    case 0:
      return of.task_name(of.events().rank_of(e), by);
    case 1:
      return "a message with tag " + std::to_string(by);
    default:
      return "the program";
  }
}

constexpr std::array<const char*, 5> found_words{
    "a copy is there", "it has had no copy", "its copy is of another version",
    "it has dropped its copy", "it has dropped its copy for want of room"};
constexpr std::array<const char*, 8> owner_words{"registration",   "migration", "a write elsewhere",
                                                 "redistribution", "release",   "a snapshot",
                                                 "a transfer",     "a write"};

constexpr std::array<const char*, 4> copy_words{"not valid", "valid", "that of the owner",
                                                "on its way"};

std::string in_words(const auto& known, std::uint64_t number) {
  return number < known.size() ? known[number] : std::to_string(number);
}

/// Why a copy was dropped, and by what.
std::string say_drop(const model& of, const event& e) {
  const run& r = of.events();
  const std::uint64_t cause = r.get(e, field::cause), by = r.get(e, field::by);
  const std::string why =
      cause < words_of_drops.size() ? words_of_drops[cause].why : std::to_string(cause);
  if (by == ~std::uint64_t{0}) return why + (cause == 0 ? " outside of tasks" : "");
  return cause == 0 ? why + " by " + say_dropping_task(of, e)
                    : why + " at " + of.place(r.rank_of(e), static_cast<std::uint32_t>(by));
}

/// "all_reduce", "gather to rank 2", "barrier of group 0,2", as a rank calls its groups; "broadcast
/// from member 1 of a group" where its members were not recorded.
std::string say_call(const model& of, int rank, std::uint64_t word) {
  const auto [kind, root, number] = trace::collective_call::of(word);
  using enum trace::collective_kind;
  const std::string call = call_name(kind);
  const std::string way = kind == gather || kind == reduce       ? " to "
                          : kind == scatter || kind == broadcast ? " from "
                                                                 : "";
  if (number == 0) return call + (way.empty() ? "" : way + "rank " + std::to_string(root));
  const recorded_group* const group = of.group_of(rank, number);
  if (group == nullptr || !group->is_whole() || root >= group->size)
    return call + (way.empty() ? "" : way + "member " + std::to_string(root)) + " of a group";
  if (way.empty()) return call + " of " + say_group(*group);
  return call + way + "rank " + std::to_string(group->members[root]) + " in " + say_group(*group);
}

/// At what all ranks meet: "barrier", "the end of the session".
std::string say_meeting(std::uint64_t kind) {
  using enum trace::meeting_kind;
  switch (static_cast<trace::meeting_kind>(kind)) {
    case any:
      return "any";
    case start:
      return "the start of the session";
    case end:
    case close:
      return "the end of the session";
    case wait:
      return "wait";
    case checkpoint:
      return "checkpoint";
    case resume:
      return "resume";
    default:
      return "barrier";
  }
}

/// "gate 3", "all tasks and messages", "x": there is one of it.
std::string say_awaited(const model& of, const event& e) {
  const std::uint64_t id = of.events().get(e, field::id);
  switch (static_cast<trace::wait_kind>(of.events().get(e, field::what))) {
    case trace::wait_kind::all:
      return "all tasks and messages";
    case trace::wait_kind::clocks:
      return "the clock of another rank";
    case trace::wait_kind::handle:
      return of.handle_name(static_cast<std::uint32_t>(id));
    case trace::wait_kind::task:
      return of.task_name(of.events().rank_of(e), id);
    case trace::wait_kind::window:
      return "tasks to end, of which as many as may wait are inserted";
    case trace::wait_kind::barrier:
      return say_meeting(id);
    case trace::wait_kind::request:
      return "the message of " + of.place(of.events().rank_of(e), static_cast<std::uint32_t>(id));
    case trace::wait_kind::collective:
      return say_call(of, of.events().rank_of(e), id);
    default:
      return say_field(of, e, field::what) + " " + say_field(of, e, field::id);
  }
}

/// "barrier of group 0,2, its call #3".
std::string say_numbered_call(const model& of, const event& e) {
  const std::uint64_t word = of.events().get(e, field::id);
  return say_call(of, of.events().rank_of(e), word) +
         (trace::collective_call::of(word).group == 0 ? ", call #" : ", its call #") +
         std::to_string(of.events().get(e, field::number));
}

/// "prefetch for gemm#511"; of what a task waits for, the task alone.
std::string say_what_for(const model& of, const event& e) {
  const run& r = of.events();
  constexpr auto task = static_cast<std::uint64_t>(trace::transfer_reason::task);
  const bool named = !posts_message(r, e) && r.get(e, field::for_task) != ~std::uint64_t{0};
  const std::string who = named ? "for " + say_field(of, e, field::for_task) : "";
  if (r.get(e, field::reason) == task) return named ? who : "for a task";
  return say_field(of, e, field::reason) + (named ? " " + who : "");
}

/// "1.0 MB"; "24 B and what it holds" where no rank knew more when it was registered.
std::string say_size(const model& of, const event& registered) {
  const run& r = of.events();
  const std::uint64_t bytes = r.get(registered, field::bytes);
  std::uint64_t held = r.get(registered, field::held, bytes);
  const std::uint32_t handle = r.get32(registered, field::handle);
  if (held == trace::no_size && handle < of.data().size() &&
      !of.data()[handle].is_per_rank())  // The owner has the value.
    held = of.data()[handle].held;
  if (held != trace::no_size) return say_bytes(held);
  return say_bytes(bytes) + " and what it holds";
}

/// " at heat.cpp:57"; nothing where the session itself waits, and where what it waits for is named
/// by the same line.
std::string say_place(const model& of, const event& e) {
  const run& r = of.events();
  const bool somewhere = r.get(e, field::loc) != trace::nothing;
  const bool said =
      e.what == record::wait_begin &&
      static_cast<trace::wait_kind>(r.get(e, field::what)) == trace::wait_kind::request &&
      r.get(e, field::loc) == r.get(e, field::id);
  return somewhere && !said ? " at " + say_field(of, e, field::loc) : "";
}

/// A task, where its rank is said already.
std::string say_task_here(const model& of, const event& e) {
  std::string name = say_field(of, e, field::task);
  const std::string rank = " on rank " + std::to_string(of.events().rank_of(e));
  if (name.ends_with(rank)) name.resize(name.size() - rank.size());
  return name;
}

/// "rank 0 inserted gemm#511 for rank 2 at heat.cpp:57".
std::string say_insertion(const model& of, const event& e) {
  const run& r = of.events();
  const bool own = r.get32(e, field::exec_rank) == static_cast<std::uint32_t>(r.rank_of(e));
  return "rank " + std::to_string(r.rank_of(e)) + " inserted " + say_task_here(of, e) +
         (own ? "" : " for rank " + say_field(of, e, field::exec_rank)) + " at " +
         say_field(of, e, field::loc);
}

/// Behind "is ready": ", after gemm#510".
std::string say_why_ready(const model& of, const event& e) {
  const run& r = of.events();
  const std::uint64_t by = r.get(e, field::cause_id);
  switch (static_cast<trace::ready_cause>(r.get(e, field::cause))) {
    case trace::ready_cause::submit:
      return " as soon as it is inserted";
    case trace::ready_cause::task:
      return ", after " + of.task_name(r.rank_of(e), by);
    case trace::ready_cause::transfer:
      return ", after the transfer of " +
             version_name(of, static_cast<std::uint32_t>(by >> 32), static_cast<std::uint32_t>(by));
    case trace::ready_cause::gate:
      return ", after gate " + std::to_string(by);
    default:
      return ", after a call of the program";
  }
}

/// "ended gemm#511", "ended gemm#511, which threw".
std::string say_end(const model& of, const event& e) {
  const auto status = static_cast<trace::task_status>(of.events().get(e, field::status));
  return "ended " + say_task_here(of, e) +
         (status == trace::task_status::threw       ? ", which threw"
          : status == trace::task_status::cancelled ? ", which was cancelled"
                                                    : "");
}

/// Of the post of a message: " at heat.cpp:57"; nothing where it was not recorded.
std::string say_line(const model& of, const event& post) {
  const std::string line = of.called_at(post);
  return line.empty() ? "" : " at " + line;
}

/// "change 5 of the ledger: migration of x, rank 2". What a rank writes to data of its own, others
/// do not count.
std::string say_change(const model& of, const event& e) {
  const run& r = of.events();
  const auto say = [&](field f) { return say_field(of, e, f); };
  const bool alone = r.get(e, field::step) == trace::no_step;
  std::string text =
      alone ? "a change that it alone makes: " : "change " + say(field::step) + " of the ledger: ";
  const bool moves =
      static_cast<trace::ledger_change>(r.get(e, field::op)) == trace::ledger_change::migrate;
  text += moves ? "migration of" : say(field::op);
  if (r.get32(e, field::handle) == none) return text;
  text += " " + say(field::handle);
  if (alone) return text + " v" + say(field::version);
  return text + (r.get32(e, field::rank) == none ? "" : ", rank " + say(field::rank));
}

/// Of a message and its answer, by the rank's own clock.
std::string say_trip(const run& r, const event& e) {
  const trace_layout* const clock = r.clock_of(r.rank_of(e));
  const double hertz = clock == nullptr ? 0 : static_cast<double>(clock->hertz);
  if (hertz <= 0) return "a time that is not known";
  return say_time(std::llround(static_cast<double>(r.get(e, field::rtt)) * 1e9 / hertz));
}

/// Of its begin or end: as the phase is called everywhere.
std::string say_phase(const model& of, const event& e) {
  const run& r = of.events();
  const bool begins = e.what == record::phase_push;
  const auto here = of.phases_of(e.lane);
  auto at = std::ranges::upper_bound(here, e.time, {}, &phase_span::begin);
  while (at != here.begin() && ((--at)->begin == e.time || !begins)) {
    if ((begins ? at->begin : at->end) != e.time) continue;
    const event push = r.events()[at->event];
    if (r.get(push, field::name) == r.get(e, field::name) &&
        r.get(push, field::index) == r.get(e, field::index))
      return of.phase_name(*at);
  }
  const std::string index = say_field(of, e, field::index);
  return say_field(of, e, field::name) + (index == "0" ? "" : " " + index);
}

/// Of a version that is there: whether it came because the datum migrated.
bool brings_ownership(const model& of, const event& e) {
  constexpr std::ptrdiff_t overtake = 32;  // So many may, or a clock may be off.
  const run& r = of.events();
  const auto all =
      of.transfers_to(r.rank_of(e), r.get32(e, field::handle), r.get32(e, field::version));
  const auto behind = std::ranges::upper_bound(
      all, e.time, {}, [&](std::uint32_t i) { return of.transfers()[i].on_the_wire(); });
  const std::ptrdiff_t before = behind - all.begin(), after = all.end() - behind;
  // Of several that came, the one before the record.
  const transfer* last = nullptr;
  for (auto each = behind - std::min(before, overtake); each != behind + std::min(after, overtake);
       ++each)
    if (const transfer& x = of.transfers()[*each];
        x.done_receive != never && x.done_receive <= e.time &&
        (last == nullptr || last->done_receive <= x.done_receive))
      last = &x;
  return last != nullptr && last->is(trace::transfer_reason::migrate);
}

}  // namespace

std::string call_name(trace::collective_kind kind) {
  constexpr std::array<const char*, 9> calls{"collective", "gather",     "scatter",
                                             "broadcast",  "reduce",     "all_gather",
                                             "all_reduce", "all_to_all", "barrier"};
  return in_words(calls, static_cast<std::uint64_t>(kind));
}

std::string name_of_call(const model& of, const event& e) {
  return say_call(of, of.events().rank_of(e), of.events().get(e, field::id));
}

std::string wait_name(const model& of, const event& begin) {
  switch (static_cast<trace::wait_kind>(of.events().get(begin, field::what))) {
    case trace::wait_kind::handle:
      return "borrow";
    case trace::wait_kind::barrier:
      return say_meeting(of.events().get(begin, field::id));
    case trace::wait_kind::collective:
      return name_of_call(of, begin);
    case trace::wait_kind::clocks:
      return "comparing clocks";
    case trace::wait_kind::request:
      return "request wait";
    case trace::wait_kind::gate:
      return say_awaited(of, begin);
    default:
      return "wait";
  }
}

namespace {

/// A memory of the rank of a record: of a device, the name of its lane.
std::string say_memory(const run& of, const event& e, field which) {
  const std::uint64_t node = of.get(e, which);
  if (node == 0) return "the host";
  for (const lane& each : of.lanes())
    if (each.rank == of.rank_of(e) && each.is(trace::stream_kind::gpu) && each.index + 1 == node)
      return each.name;
  return "memory node " + std::to_string(node);
}

}  // namespace

std::string say_event(const model& of, const event& e) {
  const run& r = of.events();
  const std::string me = "rank " + std::to_string(r.rank_of(e));
  const auto say = [&](field f) { return say_field(of, e, f); };
  const auto version = [&] { return say(field::handle) + " v" + say(field::version); };
  const std::string peer = "rank " + say(field::peer);
  const bool sends = r.get(e, field::dir) == 0;
  switch (e.what) {
    case record::task_submit:
      return say_insertion(of, e);
    case record::task_access:
      return say(field::task) + " uses " + say(field::handle) + " (" + say(field::mode) + "): v" +
             say(field::ver_in) + " -> v" + say(field::ver_out);
    case record::task_ready:
      return say(field::task) + " is ready" + say_why_ready(of, e);
    case record::task_begin:
      return say_lane(r, e.lane) + " began " + say_task_here(of, e);
    case record::task_end:
      return say_lane(r, e.lane) + " " + say_end(of, e);
    case record::state: {
      std::string text = say_lane(r, e.lane) + ": " + say(field::state);
      const auto reason = r.get(e, field::reason);
      switch (static_cast<trace::reason_kind>(r.get(e, field::reason_kind))) {
        case trace::reason_kind::task:
          return text + ", because of " + of.task_name(r.rank_of(e), reason);
        case trace::reason_kind::handle:
          return text + ", because of " + of.handle_name(static_cast<std::uint32_t>(reason));
        case trace::reason_kind::rank:
          return text + ", because of rank " + std::to_string(reason);
        default:
          return text;
      }
    }
    case record::xfer_post:
      return me + (sends ? " posted the send of " : " asked for ") + version() +
             (sends ? " to " : " from ") + peer + ", " +
             (r.get(e, field::bytes) == 0 ? "" : say(field::bytes) + ", ") + say_what_for(of, e) +
             (posts_message(r, e) ? say_line(of, e) : "");
    case record::xfer_start:
      return me + (sends ? " is ready to send " : " is ready to receive ") + version() +
             (sends ? " to " : " from ") + peer;
    case record::xfer_done:
      return me + (sends ? " has sent " : " has received ") + version() +
             (sends ? " to " : " from ") + peer;
    case record::xfer_pack:
      return me + " sent " + say_some(r.get(e, field::count), "transfer") + " to " + peer +
             " in one message, " + say(field::bytes);
    case record::gate_open:
      return me + ": gate " + say(field::gate) + " opened, by " + say_opener(of, e);
    case record::alloc:
      return me + ": " + say(field::handle) + " got " + say(field::bytes) + " of " +
             say_memory(r, e, field::memnode);
    case record::free:
      return me + ": " + say(field::handle) + " gave back " + say(field::bytes) + " of " +
             say_memory(r, e, field::memnode) + ": " + say(field::cause);
    case record::copy_begin:
      return me + " has " + version() + " copied from " + say_memory(r, e, field::src) + " to " +
             say_memory(r, e, field::dst);
    case record::copy_end:
      return me + ": " + version() + " was copied from " + say_memory(r, e, field::src) + " to " +
             say_memory(r, e, field::dst) + ", " + say(field::bytes) + ", in " +
             say_time(std::max<std::int64_t>(
                 0, r.moment(e, field::t_end) - r.moment(e, field::t_begin)));
    case record::kernel:
      return say_lane(r, e.lane) + " ran " + say_task_here(of, e) + " in " +
             say_time(std::max<std::int64_t>(
                 0, r.moment(e, field::t_end) - r.moment(e, field::t_begin))) +
             ", which ended at " + say_time(r.moment(e, field::t_end));
    case record::counter:
      return me + ": " + say(field::id) + " is " +
             say_value(static_cast<std::int64_t>(r.get(e, field::value)));
    case record::phase_push:
    case record::phase_pop:
      return me + (e.what == record::phase_push ? " begins " : " ends ") + say_phase(of, e);
    case record::cache_lookup:
      return me + " looked for " + version() + " at " + peer + ": " +
             in_words(found_words, r.get(e, field::result));
    case record::cache_insert:
      return me + (brings_ownership(of, e)
                       ? " has " + version() + " from " + peer + " and owns it from now on"
                       : " keeps a copy of " + version() + " from " + peer);
    case record::cache_drop:
      return me + " dropped " + version() + ": " + say_drop(of, e);
    case record::owner:
      return version() + " goes " +
             (r.get32(e, field::from) == none ? "" : "from rank " + say(field::from) + " ") +
             "to rank " + say(field::to) + ": " + in_words(owner_words, r.get(e, field::cause)) +
             " at " + of.place(r.rank_of(e), static_cast<std::uint32_t>(r.get(e, field::by)));
    case record::copy_state:
      return me + ": its copy of " + version() + " is " +
             in_words(copy_words, r.get(e, field::state));
    case record::borrow:
      return me + " lends " + say(field::handle) + " " + say_borrow(r.get(e, field::kind)) +
             " at " + say(field::loc);
    case record::release:
      return me + " takes back " + say(field::handle) + ", lent " +
             say_borrow(r.get(e, field::kind));
    case record::wait_begin:
      return me + " waits for " + say_awaited(of, e) + say_place(of, e);
    case record::wait_end:
      return me + " has waited for " + say_awaited(of, e);
    case record::group:
      return me + " made a group of ranks " + std::string(r.text(e, field::members)) +
             say_place(of, e);
    case record::collective_call:
      return me + " calls " + say_numbered_call(of, e) + say_place(of, e);
    case record::collective_begin:
      return me + " begins its part of " + say_numbered_call(of, e);
    case record::error: {
      // What deed prints starts with its code and goes on for lines.
      const std::string first = first_line(of.text(r.rank_of(e), r.get32(e, field::msg)));
      if (r.get(e, field::code) == 0) return me + ": an exception leaves the program: " + first;
      const std::string code = say(field::code);
      return me + " reports " + (first.starts_with(code) ? first : code + " " + first);
    }
    case record::fatal_signal:
      return me + " was ended by " + signal_name(r.get(e, field::signo)) + say_cause(r, e);
    case record::stop_run:
      return me + " stops the run on purpose, with exit code " + say(field::exit_code) + ": " +
             first_line(of.text(r.rank_of(e), r.get32(e, field::msg)));
    case record::ledger_step:
      if (r.get32(e, field::slot) == ~std::uint32_t{0} || r.get(e, field::step) == 0)
        return me + ": the ledger begins: " + say(field::op);
      return me + ": " + say_change(of, e);
    case record::handle_register:
      return me + " registered " + say(field::handle) + ", " + say_size(of, e) + ", at " +
             say(field::loc);
    case record::handle_unregister:
      return me + ": " + say(field::handle) + " ends" +
             (of.is_place(r.rank_of(e), r.get32(e, field::loc)) ? " at " + say(field::loc) : "");
    case record::clock_sync:
      return me + " compared its clock with that of " + peer + ", in " + say_trip(r, e) +
             " there and back";
    default:
      return me + " " + say_raw(of, e);
  }
}

std::string say_raw(const model& of, const event& e) {
  std::string text(record_names[static_cast<std::size_t>(e.what)]);
  text += ':';
  for (const field f : of.events().fields(e))
    text += " " + std::string(field_names[static_cast<std::size_t>(f)]) + "=" + say_field(of, e, f);
  return text;
}

}  // namespace deed::viewer
