// SPDX-License-Identifier: MIT
#include "analysis/ask/caveats.hpp"

#include "analysis/clock/time_errors.hpp"
#include "analysis/read/slice_moments.hpp"
#include "analysis/replay/group_writes.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace deed::viewer {

namespace {

std::string say_with_time(const model& of, std::uint32_t index) {
  const event e = of.events().events()[index];
  return say_time(e.time) + ": " + say_event(of, e);
}

}  // namespace

std::string say_first_failure(const model& of) {
  return of.failures().empty() ? std::string{} : say_with_time(of, of.failures().front());
}

std::uint32_t first_stop(const model& of) { return of.stops().empty() ? none : of.stops().front(); }

std::string say_stop(const model& of) {
  const std::uint32_t index = first_stop(of);
  return index == none ? std::string{} : say_with_time(of, index);
}

std::vector<silent_rank> silent_ranks(const model& of) {
  const run& r = of.events();
  std::vector<silent_rank> found;
  const auto is_quiet = [&](const rank_info& each) { return r.end() - each.last > r.end() / 100; };
  for (const rank_info& each : r.ranks())
    if (each.is_left_open() && each.clock_kind != "virtual" && (each.is_cut() || is_quiet(each)))
      found.push_back({each.rank, each.last});
  return found;
}

namespace {

constexpr std::size_t few = 8;

std::string rank_name(int rank) { return "rank " + std::to_string(rank); }

/// "rank 1 (last record at 1.4945 s), rank 2 (last record at 1.4951 s) and 3 ranks more".
std::string say_last_records(const std::vector<silent_rank>& of) {
  std::string who;
  for (std::size_t i = 0; i < std::min(few, of.size()); ++i)
    who += (i == 0 ? "" : ", ") + rank_name(of[i].rank) + " (last record at " +
           say_time(of[i].since) + ")";
  if (of.size() > few) who += " and " + say_some(of.size() - few, "rank") + " more";
  return who;
}

/// Of it another sentence says how it ended.
bool has_crashed_or_stopped(const model& of, int rank) {
  const run& r = of.events();
  const auto is_of_rank = [&](std::uint32_t index) {
    return r.events().what(index) != record::error && r.rank_of(r.events()[index]) == rank;
  };
  return std::ranges::any_of(of.failures(), is_of_rank) ||
         std::ranges::any_of(of.stops(), is_of_rank);
}

}  // namespace

std::string say_left_open(const run& of) {
  std::string who;
  std::size_t open = 0;
  for (const rank_info& each : of.ranks())
    if (each.is_left_open() && ++open <= few) who += (open == 1 ? "" : ", ") + rank_name(each.rank);
  if (open == 0) return {};
  if (open == 1) return who + " did not end its recording, it was killed or still runs";
  if (open > few) who += " and " + say_some(open - few, "rank") + " more";
  return who + " did not end their recording, they were killed or still run";
}

std::string say_still_ranks(const model& of) {
  const run& r = of.events();
  std::vector<silent_rank> still;
  for (const rank_info& each : r.ranks())
    if (each.is_left_open() && each.clock_kind == "virtual" && r.end() - each.last > r.end() / 100)
      still.push_back({each.rank, each.last});
  if (still.empty()) return {};
  return say_last_records(still) + (still.size() == 1 ? " records" : " record") +
         " nothing more: virtual ranks are of one process, and what its threads did last is taken "
         "to go on";
}

std::vector<bool> lanes_of_workers(const model& of) {
  const std::vector<lane>& lanes = of.events().lanes();
  std::set<int> with_workers;
  for (const lane& each : lanes)
    if (each.is_worker()) with_workers.insert(each.rank);
  std::vector<bool> found;
  for (const lane& each : lanes)
    found.push_back(each.is_worker() || (each.is_program() && !with_workers.contains(each.rank)));
  for (const task& t : of.tasks())
    if (t.begin != never && t.lane < lanes.size() && lanes[t.lane].is_program())
      found[t.lane] = true;
  return found;
}

namespace {

/// What a rank was in at its last record; empty: all its threads waited, as far as they said.
std::string say_last_work(const model& of, int rank) {
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i)
    if (const task& t = of.tasks()[i]; t.rank == rank && t.begin != never && t.end == never)
      return "in task " + of.task_label(i);
  bool waits = false;
  for (const wait_span& each : of.waits())
    waits |= !each.ended && of.events().lanes()[each.lane].rank == rank;
  return waits ? std::string{} : "its program at work";
}

/// "rank 0 (in task work#1), rank 1 (its program at work)": those that did not wait; of many, the
/// first. Empty: all waited.
std::string say_work_at_end(const model& of) {
  std::string text;
  std::size_t count = 0;
  for (const rank_info& each : of.events().ranks()) {
    const std::string work = each.present ? say_last_work(of, each.rank) : std::string{};
    if (work.empty() || ++count > few) continue;
    text += (count == 1 ? "" : ", ") + rank_name(each.rank) + " (" + work + ")";
  }
  return count > few ? text + " and " + say_some(count - few, "rank") + " more" : text;
}

/// Tells what a rank did, and not what its records mean, or what it believes.
bool is_deed(record what) {
  switch (what) {
    case record::backtrace:
    case record::codelet:
    case record::memnode:
    case record::src_loc:
    case record::text:
    case record::worker:
    case record::placement:
    case record::ledger_digest:
    case record::ledger_step:
    case record::unknown:
      return false;
    default:
      return true;
  }
}

/// "; the last that it recorded, at 8.3 us: rank 1 app began bad#7"; "" where it is nothing.
std::string say_last_deed(const model& of) {
  const event_list& events = of.events().events();
  for (std::size_t i = events.size(); i-- != 0;)
    if (is_deed(events.what(i)))
      return "; the last that it recorded, at " + say_with_time(of, static_cast<std::uint32_t>(i));
  return {};
}

/// Of virtual ranks, which live and die together; empty: they closed the recording, go on with it,
/// or said how they ended.
std::string say_ended_process(const model& of) {
  const run& r = of.events();
  const auto is_cut_virtual = [](const rank_info& each) {
    return !each.present || (each.clock_kind == "virtual" && each.is_cut());
  };
  if (!of.failures().empty() || first_stop(of) != none || sliced_to(r) || r.events().empty() ||
      !std::ranges::all_of(r.ranks(), is_cut_virtual))
    return {};
  const std::string work = say_work_at_end(of);
  return "all ranks are virtual, of one process, which did not close the recording: it was killed, "
         "stopped from outside, or left by `_Exit`" +
         say_last_deed(of) + (work.empty() ? "" : "; no wait is known of " + work);
}

/// Whether each rank has a process of its own, and none of them closed its recording: whoever
/// launched the run ends the others when one has ended.
bool ended_one_by_one(const run& of) {
  std::set<std::pair<std::string, std::uint64_t>> processes;
  for (const rank_info& each : of.ranks()) {
    if (!each.present || !each.is_cut() || each.clock_kind == "virtual") return false;
    processes.emplace(each.host, each.pid);
  }
  return processes.size() == of.ranks().size() && processes.size() > 1 && !sliced_to(of);
}

/// Of ranks that all ended without a word: which of them may have been the first. Empty: they are
/// of one process, or some of them said how they ended.
std::string say_first_silent(const model& of, const std::vector<silent_rank>& silent) {
  if (silent.size() != of.events().ranks().size() || !ended_one_by_one(of.events())) return {};
  std::vector<std::pair<silent_rank, std::string>> at_work;
  for (const silent_rank& each : silent)
    if (std::string work = say_last_work(of, each.rank); !work.empty())
      at_work.emplace_back(each, std::move(work));
  const silent_rank& first = *std::ranges::min_element(silent, {}, &silent_rank::since);
  const std::string none_said = "which of them ended first, and how, is not recorded: ";
  const auto first_of_all = [&](int rank) {
    return rank == first.rank ? ", and the first that records nothing more" : "";
  };
  if (at_work.size() == 1) {
    const auto& [one, work] = at_work.front();
    return none_said + rank_name(one.rank) +
           " is the only one that did not wait at its last record (" + work + ")" +
           first_of_all(one.rank) +
           ", so it may have been the first, and whoever launched the run ended the others";
  }
  return none_said + rank_name(first.rank) + " is the first that records nothing more, at " +
         say_time(first.since) + ", and the others do until " + say_time(of.events().end());
}

}  // namespace

std::vector<std::string> say_silent_ranks(const model& of) {
  if (std::string process = say_ended_process(of); !process.empty()) return {std::move(process)};
  auto silent = silent_ranks(of);
  std::erase_if(silent,
                [&](const silent_rank& each) { return has_crashed_or_stopped(of, each.rank); });
  if (silent.empty()) return {};
  const bool one = silent.size() == 1;
  const std::string open = say_last_records(silent) + " did not close " + (one ? "its" : "their") +
                           " recording",
                    then =
                        one ? "what it did then is not known" : "what they did then is not known";
  // Whoever launched the run ends the others when one has failed, or wanted that.
  if (!of.failures().empty() || first_stop(of) != none) return {open + ": " + then};
  std::vector<std::string> said{open + ": " +
                                (one ? "it was killed, or says" : "they were killed, or say") +
                                " nothing since; " + then + ", and others may wait for it"};
  if (std::string first = say_first_silent(of, silent); !first.empty())
    said.push_back(std::move(first));
  return said;
}

std::string say_guarded(const model& of) {
  if (!guarded(of.events(), group_writes(of))) return {};
  return "ranks left out tasks by guards of the program, without `session.relevant`: each counts "
         "versions in its own way, and `check` says what is not decided";
}

std::optional<std::uint64_t> seed_in(const environment& of) {
  const auto clock = of.find("clock_kind"), id = of.find("run_id");
  if (clock == of.end() || clock->second != "virtual") return {};
  // The identity of a run on virtual ranks is its seed, and nothing else.
  constexpr std::size_t digits = 16;
  if (id == of.end() || id->second.size() != 2 * digits) return {};
  const std::string_view text = id->second;
  if (text.substr(digits).find_first_not_of('0') != std::string_view::npos) return {};
  std::uint64_t seed = 0;
  const auto read = std::from_chars(text.data(), text.data() + digits, seed, 16);
  return read.ec == std::errc{} ? std::optional(seed) : std::nullopt;
}

std::optional<std::uint64_t> seed_of(const run& of) {
  for (const rank_info& each : of.ranks()) {
    const trace_layout* const about = of.clock_of(each.rank);
    if (about != nullptr && each.clock_kind == "virtual") return seed_in(about->environment);
  }
  return {};
}

std::string say_seed(std::optional<std::uint64_t> seed) {
  if (seed.value_or(0) == 0) return {};
  return "virtual ranks in the order of seed " + std::to_string(*seed) +
         ": any order that is possible, in which ranks wait for no reason; for times that mean "
         "something, record with --deed-seed=0";
}

std::string say_no_flops(const model& of) {
  if (seed_of(of.events()) != 0) return {};
  std::uint64_t ended = 0, at_once = 0;
  for (const task& t : of.tasks()) {
    if (t.begin == never || t.end == never || t.was_cancelled()) continue;
    ++ended;
    if (t.begin == t.end) ++at_once;
  }
  if (at_once == 0) return {};
  const std::string which = at_once == ended
                                ? (ended == 1 ? "the task" : "all " + say_some(ended, "task"))
                                : say_count(at_once) + " of " + say_some(ended, "task");
  return std::string(in_virtual_time) + "; " + which + " took no time";
}

std::string say_clock_errors(const model& of) {
  const time_errors& errors = of.clock_errors();
  if (errors.worst() == 0) return {};
  struct sent {
    std::uint64_t count = 0;
    double time = 0;  // By the clock of rank 0.
  };
  std::map<std::pair<int, int>, sent> pairs;
  for (const transfer& x : of.transfers()) {
    if (x.begin() == never || x.done_receive == never || x.src == x.dst) continue;
    sent& mine = pairs[std::minmax(x.src, x.dst)];
    ++mine.count;
    mine.time += static_cast<double>(errors.corrected(x.dst, x.done_receive) -
                                     errors.corrected(x.src, x.on_the_wire()));
  }
  std::string said;
  std::int64_t most = 0;
  for (const auto& [ranks, each] : pairs) {
    const auto [one, other] = ranks;
    const auto took = static_cast<std::int64_t>(each.time / static_cast<double>(each.count));
    const std::int64_t error = errors.between(one, other);
    const std::int64_t size = error == never ? std::numeric_limits<std::int64_t>::max() : error;
    if (errors.tell(one, other, took) || size <= most) continue;
    most = size;
    said = say_clocks_apart(one, other, error) +
           (error == never
                ? ""
                : ", and messages between them take " + say_time(std::max<std::int64_t>(0, took))) +
           ": a time from one to the other says little" +
           (errors.can_be_corrected(one, other)
                ? "; --clock sync+messages takes from the clocks what is known of that"
                : "");
  }
  return said;
}

std::optional<time_range> slice_in(const environment& of, std::int64_t origin) {
  const slice_moments moments = slice_moments_in(of);
  if (!moments.from || !moments.to) return {};
  const auto since_origin = [&](std::int64_t time) {
    return std::max<std::int64_t>(0, time - origin);
  };
  return time_range{since_origin(*moments.from), since_origin(*moments.to)};
}

std::string say_slice(const std::optional<time_range>& part) {
  if (!part) return {};
  return "a slice of a run, from " + say_time(part->from) + " to " + say_time(part->to) +
         ": what ended later has no end here";
}

std::optional<time_range> sliced_to(const run& of) {
  for (const rank_info& each : of.ranks())
    if (const trace_layout* const about = of.clock_of(each.rank); about != nullptr)
      return slice_in(about->environment, of.origin());
  return {};
}

time_range known_part(const run& of) {
  return sliced_to(of).value_or(time_range{of.known_from(), of.end()});
}

time_range looked_at(const run& of, const std::optional<time_range>& asked) {
  if (!asked) return known_part(of);
  // Of a ring some ranks know more, and what they know is told.
  const time_range had = sliced_to(of).value_or(time_range{0, of.end()});
  const auto in_it = [&](std::int64_t time) { return std::clamp(time, had.from, had.to); };
  return {in_it(asked->from), in_it(asked->to)};
}

std::string say_outside(const run& of, const time_range& asked) {
  const auto part = sliced_to(of);
  if (part && asked.from > part->to) return "not recorded: the slice ends at " + say_time(part->to);
  if (part && asked.to < part->from)
    return "not recorded: the slice begins at " + say_time(part->from);
  return {};
}

std::optional<answer> not_recorded(const model& of,
                                   std::initializer_list<std::string_view> needed) {
  std::string missing;
  for (const std::string_view each : needed)
    if (!of.events().records(each)) missing += (missing.empty() ? "" : ", ") + std::string(each);
  if (missing.empty()) return {};
  answer said;
  said.sentences.push_back("not recorded: DEED_TRACE_EVENTS left out " + missing);
  return said;
}

std::optional<answer> not_known_in(const model& of, const std::optional<time_range>& asked) {
  std::string outside = asked ? say_outside(of.events(), *asked) : std::string{};
  if (outside.empty()) return {};
  answer said;
  said.sentences.push_back(std::move(outside));
  return said;
}

std::optional<answer> not_known_at(const model& of, std::int64_t when) {
  if (auto outside = not_known_in(of, time_range{when, when})) return outside;
  if (when >= of.events().known_from()) return {};
  answer said;
  said.sentences.push_back("not known at " + say_time(when) + ": what all ranks did is recorded " +
                           "from " + say_time(of.events().known_from()) + " on");
  return said;
}

std::vector<std::string> caveats(const model& of) {
  std::vector<std::string> said = say_silent_ranks(of);
  std::string ended = say_first_failure(of);
  if (ended.empty()) ended = say_stop(of);
  if (!ended.empty()) said.insert(said.begin(), std::move(ended));
  if (std::string still = say_still_ranks(of); !still.empty()) said.push_back(std::move(still));
  if (std::string part = say_slice(sliced_to(of.events())); !part.empty())
    said.push_back(std::move(part));
  if (std::string seed = say_seed(seed_of(of.events())); !seed.empty())
    said.push_back(std::move(seed));
  if (std::string no_flops = say_no_flops(of); !no_flops.empty())
    said.push_back(std::move(no_flops));
  if (std::string apart = say_clock_errors(of); !apart.empty()) said.push_back(std::move(apart));
  return said;
}

}  // namespace deed::viewer
