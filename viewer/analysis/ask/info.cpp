// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/collective_calls.hpp"
#include "analysis/ask/device_work.hpp"
#include "analysis/clock/clock_fit.hpp"
#include "analysis/clock/measured_fit.hpp"
#include "analysis/edit/edit.hpp"
#include "analysis/read/outline.hpp"
#include "analysis/read/rank_folder.hpp"
#include "analysis/read/still_recorded.hpp"
#include "analysis/say/backtrace.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace deed::viewer {
namespace {

bool simulated(const run& r) {
  return std::ranges::any_of(r.ranks(),
                             [](const rank_info& each) { return each.clock_kind == "virtual"; });
}

/// Whether something of a rank's files is missing. What found no packet was lost before there was a
/// file, and has a column of its own.
bool damaged(const run& r, int rank) {
  const std::string name = "rank " + std::to_string(rank);
  return std::ranges::any_of(r.incomplete(), [&](const std::string& each) {
    return each.starts_with(name + ",") ||
           (each.starts_with(name + ":") && each.find(" found no packet") == std::string::npos);
  });
}

/// Without an `option`: what to do about it is said already.
void say_early(const clock_fit& clocks, const std::string& option, answer& into) {
  const std::uint64_t early = clocks.all_early();
  if (early == 0) return;
  into.sentences.push_back(
      say_count(early) + " of " + say_some(clocks.messages, "message") +
      (early == 1 ? " arrives before it was" : " arrive before they were") + " sent" +
      (option.empty() ? "" : "; --clock " + option + " takes that from the clocks"));
}

/// Of the clock that the others are compared with: none.
cell say_error(std::int64_t error) {
  const cell time = say_time(error);
  return error == 0 ? time : cell("+-" + time, time.number(), time.in());
}

void say_clocks(const clock_fit& clocks, const char* title, answer& into) {
  table rows{title, {"rank", "ahead", "drift", "error", "early"}, {}};
  for (std::size_t rank = 0; rank < clocks.shifts.size(); ++rank) {
    const clock_shift& each = clocks.shifts[rank];
    const bool known = clocks.errors[rank] != never;
    std::array<char, 32> drift{};
    std::snprintf(drift.data(), drift.size(), "%.3f ppm", each.rate * 1e6);
    rows.rows.push_back({std::to_string(rank), known ? say_time(each.ahead) : cell("not known"),
                         known ? cell(drift.data(), each.rate * 1e6, unit::millionths) : cell("-"),
                         known ? say_error(clocks.errors[rank]) : cell("-"),
                         say_count(clocks.early[rank])});
  }
  into.tables.push_back(std::move(rows));
}

/// `given_up`: a ring keeps the newest, on purpose. What was repaired looks whole, and is not.
const char* say_closed(bool damage, bool repaired, bool given_up) {
  if (damage) return "closed, and cut off or damaged since";
  if (repaired) return "closed, and repaired since";
  return given_up ? "closed, its oldest part given up" : "closed";
}

constexpr const char* after_the_slice = "goes on after the slice";

std::string of_environment(const outlined_rank& rank, const char* name) {
  const auto at = rank.environment.find(name);
  return at == rank.environment.end() ? std::string{} : at->second;
}

constexpr const char* gone = "not closed: it failed or was killed";
constexpr const char* not_closed = "not closed";

/// Of one that did not close its recording, as far as this machine knows its process.
const char* say_open_end(const outlined_rank& of) {
  if (of.environment.contains("slice_left_open")) return not_closed;
  if (!is_this_machine(of_environment(of, "hostname"))) return not_closed;
  return recording_process(of.environment) ? "still running" : gone;
}

/// Of its headers alone.
const char* say_end(const outlined_rank& of, const std::vector<std::string>& repairs) {
  if (!of.present) return "no trace";
  if (!of.ended) return say_open_end(of);
  return of.goes_on ? after_the_slice
                    : say_closed(of.damaged, is_repaired(repairs, of.rank), of.from != 0);
}

bool are_of_one_process(const rank_info& a, const rank_info& b) {
  return a.pid == b.pid && a.host == b.host;
}

/// "not closed, after deed[D807]".
std::string say_after(const model& of, const event& error) {
  const bool known = of.events().get(error, field::code) != 0;
  return "not closed, after " +
         (known ? say_field(of, error, field::code) : "an exception of the program");
}

/// A slice does not say when it was cut, and nobody here can ask another machine.
const char* say_life(const run& of, const rank_info& about) {
  const trace_layout* const says = of.clock_of(about.rank);
  const bool sliced = says != nullptr && says->environment.contains("slice_left_open");
  if (sliced || !is_this_machine(about.host))
    return "killed, stopped from outside, left by `_Exit`, or still running";
  return about.recorded ? "still running" : "killed, stopped from outside, or left by `_Exit`";
}

/// Of one that did not close its recording, where no error was recorded.
std::string say_stopped(const model& of, const rank_info& about) {
  const std::uint32_t stop = first_stop(of);
  if (stop == none) return say_life(of.events(), about);
  const int by = of.events().rank_of(of.events().events()[stop]);
  return "not closed, after " + (by == about.rank ? "it" : "rank " + std::to_string(by)) +
         " had stopped the run";
}

/// Of one that did not close its recording, as far as records say why: the last that it failed in,
/// or the crash of its process.
std::string say_open_end(const model& of, const rank_info& about) {
  const run& r = of.events();
  std::string said;
  for (const std::uint32_t index : of.failures()) {
    const event e = r.events()[index];
    const int rank = r.rank_of(e);
    const bool crash = e.what == record::fatal_signal;
    if (crash && rank == about.rank) return "crashed, " + signal_name(r.get(e, field::signo));
    if (rank == about.rank) said = say_after(of, e);
    if (!said.empty() || rank < 0 || static_cast<std::size_t>(rank) >= r.ranks().size()) continue;
    const bool together = are_of_one_process(r.ranks()[static_cast<std::size_t>(rank)], about);
    said = std::string(crash && together ? "ended with" : "not closed, after") + " rank " +
           std::to_string(rank) + (crash && together ? ", of its process" : " had failed");
  }
  return said.empty() ? say_stopped(of, about) : said;
}

std::string say_end(const model& of, const rank_info& about,
                    const std::vector<std::string>& repairs) {
  const run& r = of.events();
  if (!about.present) return about.begun ? "no trace" : "not begun";
  if (about.ended && about.goes_on) return after_the_slice;
  if (!about.ended) return say_open_end(of, about);
  return say_closed(damaged(r, about.rank), is_repaired(repairs, about.rank),
                    about.from != 0 && !sliced_to(r));
}

void say_caveats(const run_outline& of, answer& into) {
  const auto any = std::ranges::find(of.ranks, true, &outlined_rank::present);
  if (any == of.ranks.end()) return;
  for (std::string each :
       {say_slice(slice_in(any->environment, of.origin)), say_seed(seed_in(any->environment)),
        seed_in(any->environment) == 0 ? std::string(in_virtual_time) : std::string{}})
    if (!each.empty()) into.sentences.push_back(std::move(each));
}

/// Of a slice, its part alone: when that is, a sentence says.
std::int64_t length_of(std::int64_t end, const std::optional<time_range>& part) {
  return part ? part->to - part->from : end;
}

/// Whether it was inserted, became ready or ran in the part that a slice has: some of before are
/// in its files, for what they wrote.
bool is_of_part(const task& t, const std::optional<time_range>& part) {
  if (!part) return true;
  const auto inside = [&](std::int64_t time) { return time >= part->from && time <= part->to; };
  const bool runs_through = t.begin != never && t.begin <= part->to && t.end == never;
  return inside(t.submit) || inside(t.ready) || inside(t.begin) || inside(t.end) || runs_through ||
         (t.begin != never && t.begin < part->from && t.end > part->to);
}

std::optional<time_range> sliced_to(const run_outline& of) {
  const auto any = std::ranges::find(of.ranks, true, &outlined_rank::present);
  return any == of.ranks.end() ? std::nullopt : slice_in(any->environment, of.origin);
}

/// Packets have room for what comes: most of a short run is that. A packed file does not tell.
std::string say_files(const run_outline& of) {
  std::uint64_t events = 0;
  for (const outlined_rank& each : of.ranks) events += each.bytes;
  return (of.packed ? std::string{} : say_bytes(events) + " of events in ") + say_bytes(of.bytes) +
         " of files";
}

/// The time of which a rank says something. Definitions are whole: some are of before what a ring
/// kept, or a slice has.
template <class Rank>
time_range recorded_time(const Rank& of, const std::optional<time_range>& part) {
  const std::int64_t from = std::max({of.first, of.from, part && of.present ? part->from : 0});
  return {from, std::max(from, of.last)};
}

/// Of a ring: each rank has given up its own oldest part.
template <class Rank>
void say_kept(const Rank& of, answer& into) {
  if (of.from != 0)
    into.sentences.push_back("rank " + std::to_string(of.rank) + " kept all from " +
                             say_time(of.from) + " on, the last " + say_time(of.last - of.from));
}

void say_repairs(const std::vector<std::string>& repairs, answer& into) {
  constexpr std::size_t most = 100;
  const std::size_t said = std::min(most, repairs.size());
  for (std::size_t i = 0; i < said; ++i) into.sentences.push_back("repaired: " + repairs[i]);
  if (said < repairs.size())
    into.sentences.push_back("repaired: " + say_count(repairs.size() - said) +
                             " more, in repaired.txt");
}

}  // namespace

answer info(const run_outline& of) {
  answer said;
  said.sentences.push_back(of.path + ": " + say_some(of.ranks.size(), "rank") + ", " +
                           say_time(length_of(of.end, sliced_to(of))) + ", " + say_files(of));
  const std::vector<std::string> repairs = repaired_before(of.path);
  say_repairs(repairs, said);
  say_caveats(of, said);
  said.sentences.push_back(
      "from the headers of packets and the definitions; --full reads the run: its events, tasks "
      "and transfers, the errors of clocks, and what is missing or damaged inside of packets");
  table ranks{
      "ranks", {"rank", "host", "pid", "clock", "events", "discarded", "from", "to", "ended"}, {}};
  for (const outlined_rank& each : of.ranks) {
    const time_range time = recorded_time(each, sliced_to(of));
    ranks.rows.push_back({std::to_string(each.rank), of_environment(each, "hostname"),
                          std::to_string(to_number(of_environment(each, "pid"))),
                          of_environment(each, "clock_kind"), say_bytes(each.bytes),
                          say_count(each.discarded), say_time(time.from), say_time(time.to),
                          say_end(each, repairs)});
  }
  const auto any_ended = [&](const char* so) {
    return std::ranges::any_of(ranks.rows, [&](const auto& row) { return row.back() == so; });
  };
  if (any_ended(gone))
    said.sentences.emplace_back(
        "a process that did not close its recording is gone; --full says "
        "what it recorded of its end");
  if (any_ended(not_closed))
    said.sentences.emplace_back(
        "not closed: the rank failed, was killed, or still ran, which cannot be seen here; --full "
        "says what it recorded of that");
  for (const outlined_rank& each : of.ranks) say_kept(each, said);
  said.tables.push_back(std::move(ranks));
  table codelets{"codelets", {"codelet", "place"}, {}};
  for (const outlined_codelet& each : outlined_codelets(of.path))
    codelets.rows.push_back({each.name, each.place});
  said.tables.push_back(std::move(codelets));
  return said;
}

answer info(const model& of) {
  const run& r = of.events();
  answer said;
  std::uint64_t redundant = 0, redundant_bytes = 0, waiting = 0;
  for (const transfer& x : of.transfers()) {
    waiting += x.never_took_place() ? 1u : 0u;
    if (!x.in_vain()) continue;
    ++redundant;
    redundant_bytes += x.bytes;
  }
  const std::optional<time_range> part = sliced_to(r);
  std::uint64_t tasks = 0, finished = 0, threw = 0, cancelled = 0, open = 0;
  for (const task& t : of.tasks())
    if (is_of_part(t, part)) {
      ++tasks;
      ++(t.threw() ? threw : t.was_cancelled() ? cancelled : t.end == never ? open : finished);
    }
  said.sentences.push_back(r.path() + ": " + say_some(r.ranks().size(), "rank") + ", " +
                           say_time(length_of(r.end(), part)) + ", " +
                           say_some(r.events().size(), "event"));
  said.sentences.push_back(say_some(tasks, "task") + ", " + say_count(finished) + " finished" +
                           (threw == 0 ? "" : ", " + say_count(threw) + " threw") +
                           (cancelled == 0 ? "" : ", " + say_count(cancelled) + " cancelled") +
                           "; " + say_some(of.data().size(), "handle") + "; " +
                           say_some(of.transfers().size() - waiting, "transfer") + ", " +
                           say_count(redundant) + " redundant (" + say_bytes(redundant_bytes) +
                           ")" + (waiting == 0 ? "" : "; " + say_not_taken_place(of, waiting)));
  if (std::string calls = say_collective_calls(of); !calls.empty())
    said.sentences.push_back(std::move(calls));
  const std::vector<std::string> repairs = repaired_before(r.path());
  say_repairs(repairs, said);
  for (std::string& each : caveats(of)) said.sentences.push_back(std::move(each));
  if (std::string own = say_guarded(of); !own.empty()) said.sentences.push_back(std::move(own));
  table ranks{
      "ranks", {"rank", "host", "pid", "clock", "events", "discarded", "from", "to", "ended"}, {}};
  for (const rank_info& each : r.ranks()) {
    const time_range time = recorded_time(each, part);
    ranks.rows.push_back({std::to_string(each.rank), each.host, std::to_string(each.pid),
                          each.clock_kind, say_count(each.events), say_count(each.discarded),
                          say_time(time.from), say_time(time.to), say_end(of, each, repairs)});
  }
  if (!part)
    for (const rank_info& each : r.ranks()) say_kept(each, said);
  said.tables.push_back(std::move(ranks));
  if (!simulated(r)) {
    const bool measured = measured_clocks(r);
    const clock_fit told = fit_clocks(of, clock_correction::messages);
    const bool advised = !say_clock_errors(of).empty();  // Among the caveats.
    say_early(told, advised ? "" : measured ? "sync" : "messages", said);
    const bool one = read_one_clock(r) && told.all_early() == 0;
    if (one)
      said.sentences.emplace_back(
          "all ranks are of one machine and read one clock: their times compare as they are");
    if (measured && !one)
      say_clocks(fit_clocks(of, clock_correction::sync), "clocks, as ranks measured them", said);
    if (told.messages != 0 && !one) say_clocks(told, "clocks, by their messages", said);
  }
  table codelets{"codelets", {"codelet", "place", "tasks"}, {}};
  std::vector<std::uint64_t> counts(of.codelets().size());
  for (const task& t : of.tasks())
    if (t.codelet < counts.size() && is_of_part(t, part)) ++counts[t.codelet];
  for (std::size_t c = 0; c < counts.size(); ++c)
    if (!part || counts[c] != 0)  // The definitions of a slice are whole.
      codelets.rows.push_back(
          {of.codelets()[c].name, of.codelets()[c].place, say_count(counts[c])});
  said.tables.push_back(std::move(codelets));
  for (table& each : devices_of(of)) said.tables.push_back(std::move(each));
  return said;
}

answer print(const model& of, const std::vector<std::string>& records, const run_part& part,
             std::size_t limit, bool since_epoch) {
  const run& r = of.events();
  answer said;
  table rows{"", {"time", "lane", "record", "fields"}, {}};
  for (const event& e : r.events()) {
    const std::string name(record_names[static_cast<std::size_t>(e.what)]);
    if (!records.empty() && std::find(records.begin(), records.end(), name) == records.end())
      continue;
    if (!part.has(of, e)) continue;
    if (rows.rows.size() >= limit) break;
    const std::string raw = say_raw(of, e);
    const cell time = since_epoch ? cell(std::to_string(r.origin() + e.time)) : say_time(e.time);
    rows.rows.push_back(
        {time, say_lane(r, e.lane), name, raw.substr(std::min(raw.size(), name.size() + 2))});
    std::vector<std::string> frames = backtrace_of(of, e);
    for (const std::string& each : frames) rows.rows.back().back() += "\n" + each;
    if (const std::string cut = say_cut(frames); !cut.empty())
      rows.rows.back().back() += "\n" + cut;
    if (said.backtrace.empty()) said.backtrace = std::move(frames);
  }
  if (rows.rows.empty())
    said.sentences.push_back(std::string("no event") +
                             (records.empty() ? "" : " of these records") + " was found" +
                             (part.is_whole() ? "" : " in this part"));
  said.tables.push_back(std::move(rows));
  return said;
}

}  // namespace deed::viewer
