// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/describe.hpp"
#include "analysis/ask/state_at.hpp"
#include "analysis/say/drop_words.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace deed::viewer {
namespace {

/// "12.3 ms"; of a file that was cut off a moment may be missing.
cell moment(std::int64_t time) {
  return time == never ? cell("a time that was not recorded") : say_time(time);
}

std::uint32_t index_of(const model& of, const transfer& x) {
  return static_cast<std::uint32_t>(&x - of.transfers().data());
}

/// "a message, tag 7, sent at heat.cpp:57".
std::string say_asking_message(const model& of, const transfer& x) {
  const std::string line = of.sent_at(index_of(of, x));
  return "a message, tag " + std::to_string(of.tag_of(x)) +
         (line.empty() ? line : ", sent at " + line);
}

/// Empty: for a task that was not recorded.
std::string needed_by(const model& of, const transfer& x) {
  constexpr auto task = static_cast<std::uint8_t>(trace::transfer_reason::task);
  if (x.is_message()) return say_asking_message(of, x);
  if (x.for_task == ~std::uint64_t{0})
    return x.reason == task ? std::string{} : "a " + reason_name(x.reason);
  return of.name_task_for(x);
}

/// The drop of this version at its receiver between two moments, if one was recorded.
std::optional<event> drop_between(const model& of, const transfer& x, std::int64_t from,
                                  std::int64_t to) {
  const run& r = of.events();
  for (const std::uint32_t index : of.events_of(x.handle)) {
    const event& e = r.events()[index];
    if (e.what == record::cache_drop && e.time >= from && e.time <= to && r.rank_of(e) == x.dst &&
        r.get32(e, field::version) == x.version)
      return e;
  }
  return {};
}

/// The drop of this version at its receiver between two requests for it, in the order in which
/// that rank made them: it may ask again before what it dropped has arrived.
std::optional<event> drop_between_requests(const model& of, const transfer& a, const transfer& b) {
  const run& r = of.events();
  constexpr std::uint64_t receive = 1;
  bool asked = false;
  for (const std::uint32_t index : of.events_of(a.handle)) {
    const event& e = r.events()[index];
    if (r.rank_of(e) != a.dst || r.get32(e, field::version) != a.version) continue;
    if (e.what == record::xfer_post && r.get(e, field::dir) == receive &&
        r.get32(e, field::peer) == static_cast<std::uint32_t>(a.src)) {
      if (asked && r.get32(e, field::seq) == b.seq) return {};
      asked = asked || r.get32(e, field::seq) == a.seq;
    } else if (e.what == record::cache_drop && asked) {
      return e;
    }
  }
  return {};
}

/// Why nobody can say which copies a rank dropped; empty: its records say that.
std::string say_unknown_copies(const model& of, int rank) {
  const auto& ranks = of.events().ranks();
  const auto at = std::ranges::find(ranks, rank, &rank_info::rank);
  if (at == ranks.end() || !at->present) return "rank " + std::to_string(rank) + " is not recorded";
  return of.events().records("cache") ? "" : "DEED_TRACE_EVENTS left out cache";
}

/// What the receiver said of it: its sender may be told much earlier or later.
cell arrival(const transfer& x) {
  if (x.done_receive != never) return say_time(x.done_receive);
  return x.done_send == never ? cell("never") : moment(never);
}

/// "32.0 kB, 25.2 us": the time only where its two ends are known.
std::string say_load(const transfer& x) {
  if (x.left() == never || x.done_receive == never) return say_bytes(x.bytes);
  return say_bytes(x.bytes) + ", " + say_time(std::max<std::int64_t>(0, x.done_receive - x.left()));
}

repeat explain(const model& of, std::uint32_t first, std::uint32_t second) {
  const run& r = of.events();
  const transfer& a = of.transfers()[first];
  const transfer& b = of.transfers()[second];
  const std::string name = of.handle_name(a.handle);
  const std::string version = "v" + std::to_string(a.version);
  const auto for_task = [&](const transfer& x) {
    const std::string task = needed_by(of, x);
    return task.empty() ? std::string{} : " for " + task;
  };
  std::string said =
      "rank " + std::to_string(a.src) + " sent " + name + " " + version + " to rank " +
      std::to_string(a.dst) + " at " + moment(a.left()) + for_task(a) +
      (a.done_receive == never ? "" : ", it arrived at " + say_time(a.done_receive)) + ". ";
  repeat found{second, first, "unknown", of.place(a.dst, none), {}, {}};
  const std::int64_t asked = b.post_receive != never ? b.post_receive : b.begin();
  const bool early = a.done_receive == never || asked < a.done_receive;
  std::optional<event> drop = drop_between_requests(of, a, b);
  if (!drop && !early) drop = drop_between(of, a, a.done_receive, b.begin());
  if (drop) {
    const auto cause =
        std::min<std::uint64_t>(r.get(*drop, field::cause), words_of_drops.size() - 1);
    found.cause = words_of_drops[cause].name;
    const auto by = r.get(*drop, field::by);
    found.place =
        cause == 0 ? say_dropping_task(of, *drop) : of.place(a.dst, static_cast<std::uint32_t>(by));
    // The program runs ahead of its tasks: its copy goes when those before the call are done.
    const bool ahead = a.done_receive == never || drop->time < a.done_receive;
    said += (ahead ? "The program of rank " : "Rank ") + std::to_string(a.dst) + " dropped " +
            version + " at " + say_time(drop->time) + (ahead ? ", ahead of its tasks: " : ": ") +
            words_of_drops[cause].why + (cause == 0 ? " by " : " at ") + found.place + ". " +
            (needed_by(of, b).empty() ? "It" : needed_by(of, b)) + " needed " + version +
            " again, so it was sent at " + moment(b.left()) +
            (b.done_receive == never ? "" : " and arrived at " + say_time(b.done_receive)) + ".";
  } else if (found.not_known = say_unknown_copies(of, a.dst); !found.not_known.empty()) {
    said += "It was sent again at " + moment(b.left()) + for_task(b) +
            (b.done_receive == never ? "" : " and arrived at " + say_time(b.done_receive)) +
            "; why is not known: " + found.not_known + ".";
  } else if (early) {
    found.cause = "race";
    said += "It was asked for again at " + moment(asked) + for_task(b) + ", before it had arrived" +
            (a.done_receive == never ? "" : " at " + say_time(a.done_receive)) + ".";
  } else {
    said += "It was sent again at " + moment(b.left()) + for_task(b) +
            "; why is not recorded: no drop of " + version + " on rank " + std::to_string(a.dst) +
            " lies between.";
  }
  found.sentence = said + " " + say_load(b) + ".";
  return found;
}

/// The line that moved a version from its owner.
std::string place_of_move(const model& of, const transfer& x) {
  constexpr auto migrate_call = static_cast<std::uint64_t>(trace::owner_cause::migrate_call);
  const run& r = of.events();
  for (const std::uint32_t index : of.events_of(x.handle)) {
    const event& e = r.events()[index];
    if (e.what == record::owner && r.get(e, field::cause) == migrate_call &&
        r.get32(e, field::version) == x.version &&
        r.get32(e, field::from) == static_cast<std::uint32_t>(x.src) &&
        r.get32(e, field::to) == static_cast<std::uint32_t>(x.dst))
      return of.place(r.rank_of(e), r.get32(e, field::by));
  }
  return of.place(x.dst, none);
}

/// A version that migrated away came back: nobody wrote it in between.
repeat came_back(const model& of, std::uint32_t away, std::uint32_t back) {
  const transfer& a = of.transfers()[away];
  const transfer& b = of.transfers()[back];
  repeat found{back, away, "ping_pong", place_of_move(of, a), {}, {}};
  found.sentence = "rank " + std::to_string(a.src) + " gave " +
                   version_name(of, a.handle, a.version) + " to rank " + std::to_string(a.dst) +
                   " at " + moment(a.left()) + ": migration at " + found.place +
                   ". Nobody wrote it, and it came back at " + moment(b.left()) + ". " +
                   say_load(b) + ".";
  return found;
}

}  // namespace

std::vector<repeat> repeats(const model& of, std::optional<std::uint32_t> handle) {
  std::vector<std::uint32_t> handles;  // Most data have no transfer that was in vain.
  for (const transfer& x : of.transfers())
    if (x.in_vain() && x.handle < of.data().size() && x.handle == handle.value_or(x.handle))
      handles.push_back(x.handle);
  std::ranges::sort(handles);
  handles.erase(std::unique(handles.begin(), handles.end()), handles.end());
  std::vector<repeat> found;
  for (const std::uint32_t h : handles) {
    std::map<std::tuple<std::uint32_t, int, int>, std::uint32_t> last;
    for (const std::uint32_t index : of.transfers_of(h)) {
      const transfer& x = of.transfers()[index];
      if (x.came_back) found.push_back(came_back(of, last.at({x.version, x.dst, x.src}), index));
      const auto [at, first] = last.try_emplace({x.version, x.src, x.dst}, index);
      if (first) continue;
      if (x.redundant) found.push_back(explain(of, at->second, index));
      at->second = index;
    }
  }
  return found;
}

namespace {

/// Repeats of one version on one way, for one reason.
using alike = std::vector<const repeat*>;

std::vector<alike> grouped_repeats(const model& of, const std::vector<repeat>& all) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, int, int, std::string, std::string>,
           std::size_t>
      known;
  std::vector<alike> groups;
  for (const repeat& each : all) {
    const transfer& x = of.transfers()[each.transfer];
    const auto [at, fresh] = known.try_emplace(
        {x.handle, x.version, x.src, x.dst, each.cause, each.place}, groups.size());
    if (fresh) groups.emplace_back();
    groups[at->second].push_back(&each);
  }
  return groups;
}

/// The first of them in full, and how often more.
std::string say_group(const model& of, const alike& group) {
  if (group.size() == 1) return group.front()->sentence;
  std::uint64_t bytes = 0;
  for (const repeat* const each : group) bytes += of.transfers()[each->transfer].bytes;
  const transfer& last = of.transfers()[group.back()->transfer];
  return group.front()->sentence + " The same " + say_some(group.size() - 1, "time") +
         " more, the last of which arrived at " +
         (last.done_receive == never ? std::string("a time that was not recorded")
                                     : say_time(last.done_receive)) +
         ": " + say_some(group.size(), "transfer") + " too many, " + say_bytes(bytes) +
         (group.front()->cause == "unknown"
              ? ", none for a cause that is known."
              : ", all for " + group.front()->cause + " at " + group.front()->place + ".");
}

/// Whether it cost the run anything but bytes.
std::string say_critical(const alike& group, const critical_times& critical) {
  std::int64_t lost = 0;
  std::size_t on_path = 0;
  for (const repeat* const each : group) {
    const auto at = critical.find(each->transfer);
    if (at == critical.end() || at->second == 0) continue;
    lost += at->second;
    ++on_path;
  }
  const std::string which = group.size() == 1                         ? "It is"
                            : on_path == 0 || on_path == group.size() ? "They are"
                            : on_path == 1                            ? "1 of them is"
                                           : say_count(on_path) + " of them are";
  return lost == 0 ? " " + which + " not on the critical path."
                   : " " + which + " on the critical path, for " + say_time(lost) + ".";
}

table each_repeat(const model& of, const std::vector<repeat>& all, const critical_times& critical) {
  table found{"each of them",
              {"handle", "version", "src", "dst", "for", "left", "arrived", "bytes", "critical",
               "cause", "place"},
              {}};
  for (const repeat& each : all) {
    const transfer& x = of.transfers()[each.transfer];
    const auto on_path = critical.find(each.transfer);
    found.rows.push_back({of.handle_name(x.handle), "v" + std::to_string(x.version),
                          std::to_string(x.src), std::to_string(x.dst), needed_by(of, x),
                          moment(x.left()), arrival(x), say_bytes(x.bytes),
                          on_path == critical.end() ? cell("-") : say_time(on_path->second),
                          each.cause, each.place});
    found.links.push_back("transfer:" + std::to_string(each.transfer));
  }
  return found;
}

using times_of_messages = std::map<std::tuple<std::uint32_t, std::uint32_t, int, int>, std::size_t>;

/// By datum, version, sender and receiver, those of which explicit messages sent more than one.
times_of_messages repeated_messages(const model& of, std::optional<std::uint32_t> handle,
                                    const run_part& part) {
  times_of_messages times;
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i)
    if (const transfer& x = of.transfers()[i];
        x.is_message() && x.handle == handle.value_or(x.handle) && part.has_transfer(of, i))
      ++times[{x.handle, x.version, x.src, x.dst}];
  std::erase_if(times, [](const auto& each) { return each.second < 2; });
  return times;
}

/// They are none too many: the program asked for each.
std::string say_messages(const times_of_messages& times) {
  if (times.empty()) return {};
  std::set<std::pair<std::uint32_t, std::uint32_t>> versions;
  for (const auto& [what, count] : times) versions.emplace(std::get<0>(what), std::get<1>(what));
  return "; " + say_some(versions.size(), "version") + (versions.size() == 1 ? " was" : " were") +
         " sent more than once by explicit messages of the program";
}

}  // namespace

std::string say_no_repeat(const model& of, const std::vector<repeat>& of_run,
                          std::optional<std::uint32_t> handle, const run_part& part,
                          std::string_view cause) {
  const std::string messages =
      cause.empty() ? say_messages(repeated_messages(of, handle, part)) : std::string{};
  const std::string none_twice =
      std::string(messages.empty() ? "no version" : "no copy") + " was sent twice to one rank" +
      (cause.empty() ? std::string{} : " because of " + std::string(cause)) + messages;
  if (of_run.empty()) return none_twice;
  std::int64_t first = never;
  for (const repeat& each : of_run)
    if (const std::int64_t left = of.transfers()[each.transfer].left();
        left != never && (first == never || left < first))
      first = left;
  return "in this part " + none_twice + "; the run has " +
         say_some(of_run.size(), "such transfer") +
         (first == never ? "" : ", the first at " + say_time(first));
}

void say_unknown_before(const model& of, answer& into) {
  if (const std::int64_t from = of.events().known_from(); from > 0)
    into.sentences.push_back(
        "what had been sent before " + say_time(from) +
        " is not in this recording: where it was sent again, that is not known");
}

namespace {

/// Who wrote versions of one datum, outside of tasks, too.
class writers_of_datum {
 public:
  writers_of_datum(const model& of, std::uint32_t handle) : of_(of), handle_(handle) {
    for (const std::uint32_t index : of.events_of(handle))
      if (const event e = of.events().events()[index]; is_program_write(of, e))
        programs_.try_emplace({of.events().get32(e, field::version), own(of.events().rank_of(e))},
                              index);
  }

  struct writer {
    std::string who;   ///< "load#3 on rank 0".
    std::string line;  ///< "heat.cpp:57".
  };
  /// Of what a rank sends; no `who` where that is not recorded.
  [[nodiscard]] writer of(std::uint32_t version, int rank) const {
    constexpr std::int64_t ever = std::numeric_limits<std::int64_t>::max();
    const bool per_rank = of_.data()[handle_].is_per_rank();
    const std::uint32_t task =
        per_rank ? of_.writer_on(rank, handle_, version, ever) : of_.writer(handle_, version);
    if (task != none)
      return {of_.task_on_rank(task), of_.place(of_.tasks()[task].rank, of_.tasks()[task].loc)};
    if (const std::uint32_t message = of_.message_that_brought(handle_, version, rank);
        message != none)
      return {say_message(of_, of_.transfers()[message]), of_.received_at(message)};
    const auto call = programs_.find({version, own(rank)});
    if (call == programs_.end()) return {};
    const event e = of_.events().events()[call->second];
    const int by = of_.events().rank_of(e);
    return {"the program of rank " + std::to_string(by),
            of_.place(by, of_.events().get32(e, field::loc))};
  }

 private:
  /// Ranks have versions of their own of a datum per rank.
  [[nodiscard]] int own(int rank) const { return of_.data()[handle_].is_per_rank() ? rank : 0; }

  const model& of_;
  std::uint32_t handle_;
  std::map<std::pair<std::uint32_t, int>, std::uint32_t> programs_;  // By version: an event.
};

/// A message that brings a datum where one before had brought it.
struct later_message {
  std::uint32_t before = none, transfer = none;
  writers_of_datum::writer writer;  ///< Of what it brings, where that is another version.
};
using messages_alike = std::vector<later_message>;

/// Of one datum, those of one line for one reason together. `all`: of what was written in between,
/// too.
std::vector<messages_alike> later_messages(const model& of, std::uint32_t handle,
                                           const run_part& part, bool all) {
  const writers_of_datum writers(of, handle);
  std::map<std::pair<int, int>, std::uint32_t> last;  // By the ranks of its ends.
  std::map<std::tuple<int, int, bool, std::string, std::string, std::string>, std::size_t> known;
  std::vector<messages_alike> groups;
  for (const std::uint32_t index : of.transfers_of(handle)) {
    const transfer& x = of.transfers()[index];
    if (!x.is_message() || !part.has_transfer(of, index)) continue;
    const auto [before, first] = last.try_emplace({x.src, x.dst}, index);
    if (first) continue;
    const std::uint32_t earlier = std::exchange(before->second, index);
    const bool written = of.transfers()[earlier].version != x.version;
    if (written && !all) continue;
    later_message found{earlier, index,
                        written ? writers.of(x.version, x.src) : writers_of_datum::writer{}};
    const auto [at, fresh] = known.try_emplace(
        {x.src, x.dst, written, of.sent_at(index), of.received_at(index), found.writer.line},
        groups.size());
    if (fresh) groups.emplace_back();
    groups[at->second].push_back(std::move(found));
  }
  return groups;
}

/// "the program sent x v0 from rank 0 to rank 1 at 2 ms, and again at 3 ms by a message, tag 7,
/// sent at heat.cpp:57, received at heat.cpp:60: nobody wrote it in between".
std::string say_later_messages(const model& of, const messages_alike& group) {
  const later_message& first = group.front();
  const transfer &a = of.transfers()[first.before], &b = of.transfers()[first.transfer];
  const bool written = a.version != b.version;
  const auto at = [](const transfer& x) { return " at " + moment(x.left()); };
  std::string said = "the program sent " + version_name(of, a.handle, a.version) + " from rank " +
                     std::to_string(a.src) + " to rank " + std::to_string(a.dst) + at(a) +
                     (written ? ", and v" + std::to_string(b.version) : ", and it again") + at(b) +
                     " by " + say_asking_message(of, b);
  if (const std::string line = of.received_at(first.transfer); !line.empty())
    said += ", received at " + line;
  if (!written)
    said += of.data()[a.handle].is_per_rank()
                ? ": rank " + std::to_string(a.src) + " did not write it in between"
                : ": nobody wrote it in between";
  else if (first.writer.who.empty())
    said += ": who wrote it in between is not recorded";
  else
    said += ": " + first.writer.who + " wrote it in between" +
            (first.writer.line.empty() ? "" : ", at " + first.writer.line);
  if (group.size() > 1)
    said += ". The same " + say_some(group.size() - 1, "time") + " more, the last" +
            at(of.transfers()[group.back().transfer]);
  return said;
}

/// Of a datum, those that go where one before went; of the run, those that bring the same version.
void say_each_message(const model& of, std::optional<std::uint32_t> handle, const run_part& part,
                      answer& into) {
  const std::size_t most = handle ? 32 : 8;  // Sentences. The tables have the rest.
  std::set<std::uint32_t> data;
  if (handle) data.insert(*handle);
  for (const auto& [what, count] : repeated_messages(of, handle, part))
    data.insert(std::get<0>(what));
  std::size_t groups = 0;
  for (const std::uint32_t each : data) {
    if (each >= of.data().size()) continue;  // Nobody registered it.
    for (const messages_alike& group : later_messages(of, each, part, handle.has_value()))
      if (groups++ < most) into.sentences.push_back(say_later_messages(of, group));
  }
  if (groups > most)
    into.sentences.push_back("and " + say_count(groups - most) +
                             " more, between other ranks, of other lines or data" +
                             (handle ? "" : ": ask for one datum, or for a part of the run"));
}

}  // namespace

answer why_twice(const model& of, std::optional<std::uint32_t> handle, const run_part& part,
                 std::string_view cause) {
  if (auto missing = not_recorded(of, {"xfer"})) return std::move(*missing);
  answer said;
  say_unknown_before(of, said);
  auto of_run = repeats(of, handle);
  std::erase_if(of_run, [&](const repeat& each) { return !cause.empty() && each.cause != cause; });
  std::vector<repeat> all = of_run;
  std::erase_if(all, [&](const repeat& each) { return !part.has_transfer(of, each.transfer); });
  const std::string what = handle ? of.handle_name(*handle) : "the run";
  if (all.empty()) {
    said.sentences.push_back((handle || of_run.empty() ? what + ": " : std::string{}) +
                             say_no_repeat(of, of_run, handle, part, cause));
  } else {
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> causes;
    for (const repeat& each : all) {
      auto& [count, bytes] = causes[each.cause];
      ++count;
      bytes += of.transfers()[each.transfer].bytes;
    }
    const auto critical = critical_times_of(of);
    for (const alike& group : grouped_repeats(of, all))
      said.sentences.push_back(say_group(of, group) +
                               (critical ? say_critical(group, *critical) : std::string{}));
    table by_cause{"redundant transfers by cause", {"cause", "transfers", "bytes"}, {}};
    std::vector<std::pair<std::string, std::pair<std::uint64_t, std::uint64_t>>> sorted(
        causes.begin(), causes.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return a.second.second > b.second.second;
    });
    for (const auto& [why, sum] : sorted)
      by_cause.rows.push_back({why, say_count(sum.first), say_bytes(sum.second)});
    said.tables.push_back(std::move(by_cause));
    said.tables.push_back(each_repeat(of, all, critical.value_or(critical_times{})));
  }
  if (cause.empty()) say_each_message(of, handle, part, said);
  if (!handle) return said;
  table moves{"transfers of " + what,
              {"version", "src", "dst", "left", "arrived", "bytes", "for", "again"},
              {}};
  for (const std::uint32_t index : of.transfers_of(*handle)) {
    if (!part.has_transfer(of, index)) continue;
    const transfer& x = of.transfers()[index];
    moves.rows.push_back({"v" + std::to_string(x.version), std::to_string(x.src),
                          std::to_string(x.dst), moment(x.left()), arrival(x), say_bytes(x.bytes),
                          needed_by(of, x),
                          x.redundant   ? "redundant"
                          : x.came_back ? "came back"
                                        : ""});
    moves.links.push_back("transfer:" + std::to_string(index));
  }
  said.tables.push_back(std::move(moves));
  return said;
}

}  // namespace deed::viewer
