// SPDX-License-Identifier: MIT
#include "analysis/ask/describe.hpp"

#include "analysis/ask/ask.hpp"
#include "analysis/ask/device_work.hpp"
#include "analysis/ask/last_cause.hpp"
#include "analysis/ask/message_ends.hpp"
#include "analysis/ask/phases_then.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/clock/time_errors.hpp"
#include "analysis/say/backtrace.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

cell when(std::int64_t time) { return time == never ? cell("not recorded") : say_time(time); }

/// "and had waited 3.1 us for a worker", from what made it ready.
std::string why_then(const model& of, const task& t) {
  if (t.ready == never || t.begin == never) return "Why it began then is not recorded.";
  std::string said = "It was ready at " + say_time(t.ready);
  if (t.ready_cause == 1) said += ", when " + of.task_name(t.rank, t.ready_by) + " had ended";
  if (const std::uint32_t send = awaited_send(of, t); send != none)
    said +=
        ", when " + version_name(of, of.transfers()[send].handle, of.transfers()[send].version) +
        ", over which it writes, had been sent to rank " + std::to_string(of.transfers()[send].dst);
  else if (t.ready_cause == 2)
    said += ", when the last of its data, " +
            version_name(of, static_cast<std::uint32_t>(t.ready_by >> 32),
                         static_cast<std::uint32_t>(t.ready_by)) +
            ", had arrived";
  if (t.ready_cause == 4) said += ", when gate " + std::to_string(t.ready_by) + " had opened";
  if (t.ready_cause == 0) said += ", as soon as it was inserted";
  return said + ", and then waited " + say_time(std::max<std::int64_t>(0, t.begin - t.ready)) +
         (is_on_device(of.events(), t.lane) ? " for its device, and its data to be there."
                                            : " for a worker.");
}

}  // namespace

namespace {

std::string where_it_ran(const model& of, std::uint32_t index) {
  const task& t = of.tasks()[index];
  return of.task_label(index) + " ran on rank " + std::to_string(t.rank) +
         (t.lane == none ? "" : ", " + of.events().lanes()[t.lane].name) + ", from " +
         when(t.begin) + " to " + when(t.end) +
         (t.begin != never && t.end != never ? " (" + say_time(t.end - t.begin) + ")" : "") + ".";
}

/// It may have run behind the last record of its rank.
std::string say_not_run(const model& of, std::uint32_t index) {
  const task& t = of.tasks()[index];
  return of.task_label(index) + " is of rank " + std::to_string(t.rank) +
         "; that it ran is not recorded, until " + say_time(of.known_until(t.rank)) + ".";
}

/// What it waited for then.
std::string why_not(const model& of, const task& t) {
  if (t.ready != never)
    return "It was ready at " + say_time(t.ready) + ", and no worker had begun it.";
  std::string missing;
  for (const access& a : of.accesses(t)) {
    const std::uint32_t writer = of.writer(a.handle, a.ver_in);
    if (!a.reads() || writer == none || of.tasks()[writer].end != never) continue;
    missing += (missing.empty() ? "" : ", ") + version_name(of, a.handle, a.ver_in) + " of " +
               of.task_name(writer);
  }
  return "That it was ready is not recorded" +
         (missing.empty() ? "." : "; not written yet was " + missing + ".");
}

/// "threw", "was cancelled", behind `word`; empty of one that did not fail.
std::string say_failure(const task& t, const char* word) {
  return t.failed() ? word + std::string(t.threw() ? "threw" : "was cancelled") : std::string();
}

/// What no task of the run wrote.
std::string say_what_brought(const model& of, std::uint32_t handle, std::uint32_t version,
                             int rank) {
  const std::uint32_t message = of.message_that_brought(handle, version, rank);
  if (message == none) return "not recorded";
  return say_message(of, of.transfers()[message]);
}

}  // namespace

std::string say_message(const model& of, const transfer& x) {
  return "a message of rank " + std::to_string(x.src) + ", tag " + std::to_string(of.tag_of(x));
}

answer describe_task(const model& of, std::uint32_t index) {
  const task& t = of.tasks()[index];
  const bool ran = t.begin != never || t.end != never;
  answer said;
  said.sentences.push_back(ran ? where_it_ran(of, index) : say_not_run(of, index));
  if (!ran && t.codelet < of.codelets().size())
    said.sentences.push_back("Its codelet is `" + of.codelets()[t.codelet].name + "` at " +
                             of.codelets()[t.codelet].place + ".");
  said.sentences.push_back("It was inserted at " + of.place(t.rank, t.loc) +
                           in_phase_of_task(of, index) + ", at " + when(t.submit) + ".");
  said.sentences.push_back(ran ? why_then(of, t) : why_not(of, t));
  if (std::string none_there = say_no_time_of(of.events(), t.lane, t.end - t.begin);
      t.end != never && !none_there.empty())
    said.sentences.push_back(std::move(none_there));
  if (t.failed())
    said.sentences.push_back(t.threw() ? "Its body threw." : "It was cancelled, and ran nothing.");
  table uses{ran ? "What it used" : "What it uses", {"datum", "mode", "version", "from"}, {}};
  for (const access& a : of.accesses(t)) {
    const std::uint32_t writer = of.writer(a.handle, a.ver_in);
    const char* const modes[]{"R", "W", "RW", "REDUX", "SCRATCH", "COMMUTE"};
    uses.rows.push_back(
        {of.handle_name(a.handle), a.mode < 6 ? modes[a.mode] : "?",
         "v" + std::to_string(a.ver_in) + (a.writes() ? " → v" + std::to_string(a.ver_out) : "") +
             (a.writes() && t.failed() ? ", not written" : ""),
         writer == none
             ? (a.ver_in == 0 ? "registration" : say_what_brought(of, a.handle, a.ver_in, t.rank))
             : of.task_label(writer) + ", rank " + std::to_string(of.tasks()[writer].rank) +
                   say_failure(of.tasks()[writer], ", which ")});
  }
  said.tables.push_back(std::move(uses));
  return said;
}

namespace {

/// What the two programs of a message call it: its tag, the datum it comes into, and their lines.
void say_ends_of_message(const model& of, std::uint32_t index, answer& into) {
  const transfer& x = of.transfers()[index];
  const message_ends ends(of, index);
  std::string text = "It is a message with tag " + std::to_string(of.tag_of(x));
  if (const std::string line = ends.sent_at(index); !line.empty()) text += ", sent at " + line;
  const std::string line = ends.received_at(index), name = ends.received_as(index);
  if (name != ends.sent_as(index) || !line.empty())
    text += ", received into " + name + (line.empty() ? "" : " at " + line);
  into.sentences.push_back(text + ".");
}

}  // namespace

namespace {

/// In their order; at the end what was not recorded.
table times_of(const transfer& x) {
  std::vector<std::pair<std::int64_t, const char*>> all{{x.post_receive, "receive posted"},
                                                        {x.post_send, "send posted"},
                                                        {x.start, "sender ready"},
                                                        {x.start_receive, "receiver ready"},
                                                        {x.left(), "left"},
                                                        {x.done_receive, "arrived"},
                                                        {x.done_send, "sender told"}};
  std::ranges::stable_sort(
      all, {}, [](const auto& each) { return std::pair(each.first == never, each.first); });
  table times{"", {"", ""}, {}};
  for (const auto& [time, what] : all) times.rows.push_back({what, when(time)});
  return times;
}

/// Where clocks may be further apart, a figure would be theirs.
void say_what_it_took(const model& of, const transfer& x, answer& into) {
  const time_errors& errors = of.clock_errors();
  const std::int64_t took = x.done_receive - x.on_the_wire();
  const std::int64_t error = errors.between(x.src, x.dst);
  auto& rows = into.tables.back().rows;
  if (!errors.tell(x.src, x.dst, took)) {
    std::string apart = say_clocks_apart(x.src, x.dst, error);
    apart.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(apart.front())));
    into.sentences.push_back(apart + ": what it took is not known.");
    rows.push_back({"took", "not known"});
    rows.push_back({"bandwidth", "not known"});
  } else if (took > 0) {
    const std::string about = error == 0 ? "" : " " + say_time_error(error);
    const double rate = static_cast<double>(x.bytes) * 1e9 / static_cast<double>(took);
    rows.push_back({"took", say_time(took) + about + ", since it left"});
    rows.push_back({"bandwidth", say_bytes(static_cast<std::uint64_t>(rate)) + "/s"});
  }
}

}  // namespace

answer describe_transfer(const model& of, std::uint32_t index) {
  const transfer& x = of.transfers()[index];
  answer said;
  said.sentences.push_back(version_name(of, x.handle, x.version) + " went from rank " +
                           std::to_string(x.src) + " to rank " + std::to_string(x.dst) + ", " +
                           say_bytes(x.bytes) + ".");
  if (x.is_message()) say_ends_of_message(of, index, said);
  if (x.for_task != ~std::uint64_t{0})
    said.sentences.push_back("It was asked for by " + of.name_task_for(x) +
                             (of.task_for(x) == none ? " of rank " + std::to_string(x.dst) +
                                                           ", of which nothing else is recorded."
                                                     : "."));
  const std::uint32_t writer = of.writer(x.handle, x.version);
  if (writer != none && is_missing(of, x.handle, x.version))
    said.sentences.push_back("It brought word that " + of.task_on_rank(writer) +
                             say_failure(of.tasks()[writer], " ") + ", in place of the version.");
  else if (writer != none)
    said.sentences.push_back("The version was written by " + of.task_on_rank(writer) + ".");
  for (const repeat& each : repeats(of, x.handle)) {
    const bool there_and_back = each.cause == "ping_pong";
    if (each.transfer == index)
      said.sentences.push_back(
          (there_and_back ? "It brought back what was sent in vain: " : "It is redundant: ") +
          each.sentence);
    else if (each.earlier == index && there_and_back)
      said.sentences.push_back("It went in vain: " + each.sentence);
  }
  said.tables.push_back(times_of(x));
  if (x.left() != never && x.done_receive != never) say_what_it_took(of, x, said);
  return said;
}

namespace {

/// How long a phase was, and what it lies in.
void say_phase(const model& of, const phase_span& phase, answer& into) {
  const bool ended = phase.end_event != none;
  into.sentences.push_back("Phase " + of.phase_name(phase) +
                           (ended ? " took " + say_time(phase.end - phase.begin)
                                  : " did not end in " + say_time(phase.end - phase.begin)) +
                           ", from " + say_time(phase.begin) + " to " + say_time(phase.end) + ".");
  std::string within;
  for (const phase_span* each = of.around(phase); each != nullptr; each = of.around(*each))
    within += (within.empty() ? "" : ", in ") + of.phase_name(*each);
  if (!within.empty()) into.sentences.push_back("It lies in " + within + ".");
  std::size_t inside = 0;
  for (const phase_span& each : of.phases_of(phase.lane))
    inside +=
        each.event > phase.event && each.event < phase.end_event && each.depth == phase.depth + 1;
  if (inside != 0) into.sentences.push_back(say_some(inside, "phase") + " in it.");
}

/// What it was before, how long it was so, and what it reaches in the run.
void say_value_of(const model& of, const value_series& series, std::uint32_t index, answer& into) {
  const event_list& events = of.events().events();
  const auto at = std::ranges::lower_bound(series.events, index);
  std::string text;
  if (at != series.events.begin())
    text = "It was " + say_value(of.value_of(at[-1])) + " before, since " +
           say_time(events.time(at[-1])) + "; ";
  else
    text = "It is its first value; ";
  into.sentences.push_back(text + (at + 1 == series.events.end()
                                       ? "it stays so to the end."
                                       : "the next one, " + say_value(of.value_of(at[1])) +
                                             ", is of " + say_time(events.time(at[1])) + "."));
  std::int64_t least = of.value_of(index), most = least;
  for (const std::uint32_t each : series.events) {
    least = std::min(least, of.value_of(each));
    most = std::max(most, of.value_of(each));
  }
  into.sentences.push_back("Of " + say_some(series.events.size(), "value") + " the least is " +
                           say_value(least) + ", the most " + say_value(most) + ".");
}

}  // namespace

answer describe_event(const model& of, std::uint32_t index) {
  const run& r = of.events();
  const event& e = r.events()[index];
  answer said;
  said.sentences.push_back(say_event(of, e) + ".");
  if (e.what == record::copy_end)
    if (std::string none_there =
            say_no_time_of(r, e.lane, r.moment(e, field::t_end) - r.moment(e, field::t_begin));
        !none_there.empty())
      said.sentences.push_back(std::move(none_there));
  if (const phase_span* const phase = of.phase_of(index)) say_phase(of, *phase, said);
  if (const value_series* const series = of.values_of(index))
    say_value_of(of, *series, index, said);
  table fields{std::string(record_names[static_cast<std::size_t>(e.what)]), {"", ""}, {}};
  fields.rows.push_back({"time", say_time(e.time)});
  fields.rows.push_back({"lane", say_lane(r, e.lane)});
  const std::vector<std::string> frames = backtrace_of(of, e);
  const bool about_numbers = r.get(e, field::expected) != r.get(e, field::actual);
  for (const field f : r.fields(e)) {
    const bool of_device = f == field::t_begin || f == field::t_end;  // On the clock of its rank.
    std::string value = of_device ? say_time(r.moment(e, f)) : say_field(of, e, f);
    const bool number = f == field::expected || f == field::actual;
    if (f == field::backtrace && !frames.empty()) continue;                // Below.
    if (f == field::slot && r.get32(e, f) == ~std::uint32_t{0}) continue;  // Of no slot.
    if (e.what == record::error && (value == "none" || (number && !about_numbers))) continue;
    fields.rows.push_back(
        {std::string(field_names[static_cast<std::size_t>(f)]), std::move(value)});
  }
  said.tables.push_back(std::move(fields));
  tell_backtrace(of, e, said);
  return said;
}

}  // namespace deed::viewer
