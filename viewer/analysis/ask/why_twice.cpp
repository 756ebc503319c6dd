// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace deed::viewer {
namespace {

constexpr std::array<const char*, 5> drop_causes{"invalidated_by_write", "flush_call", "capacity",
                                                 "migrate", "shutdown"};
constexpr std::array<const char*, 5> drop_words{"a write", "flush call", "capacity", "migration",
                                                "shutdown"};

std::string needed_by(const model& of, const transfer& x) {
  if (x.for_task == ~std::uint64_t{0}) return {};
  // The task is the receiver's, but for a write-back, where it is the sender's.
  constexpr std::uint8_t write_back = 2;
  return of.task_name(x.reason == write_back ? x.src : x.dst, x.for_task);
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
  std::string said = "rank " + std::to_string(a.src) + " sent " + name + " " + version +
                     " to rank " + std::to_string(a.dst) + " at " + say_time(a.begin()) +
                     for_task(a) + ". ";
  repeat found{second, first, "unknown", of.place(a.dst, none), {}};
  const std::int64_t asked = b.post_receive != never ? b.post_receive : b.begin();
  const bool early = a.done_receive == never || asked < a.done_receive;
  std::optional<event> drop = drop_between_requests(of, a, b);
  if (!drop && !early) drop = drop_between(of, a, a.done_receive, b.begin());
  if (drop) {
    const auto cause = std::min<std::uint64_t>(r.get(*drop, field::cause), drop_causes.size() - 1);
    found.cause = drop_causes[cause];
    const auto by = r.get(*drop, field::by);
    found.place =
        cause == 0 ? of.task_name(a.dst, by) : of.place(a.dst, static_cast<std::uint32_t>(by));
    said += "Rank " + std::to_string(a.dst) + " dropped " + version + " at " +
            say_time(drop->time) + ": " + drop_words[cause] + (cause == 0 ? " by " : " at ") +
            found.place + ". " + (needed_by(of, b).empty() ? "It" : needed_by(of, b)) + " needed " +
            version + " again, so it was sent at " + say_time(b.begin()) + ".";
  } else if (early) {
    found.cause = "race";
    said += "It was asked for again at " + say_time(asked) + for_task(b) +
            ", before it had arrived" +
            (a.done_receive == never ? "" : " at " + say_time(a.done_receive)) + ".";
  } else {
    said += "It was sent again at " + say_time(b.begin()) + for_task(b) +
            "; why is not recorded: no drop of " + version + " on rank " + std::to_string(a.dst) +
            " lies between.";
  }
  said += " " + say_bytes(b.bytes);
  if (b.end() != never && b.begin() != never) said += ", " + say_time(b.end() - b.begin());
  found.sentence = said + ".";
  return found;
}

/// The line that moved a version from its owner.
std::string place_of_move(const model& of, const transfer& x) {
  constexpr std::uint64_t migrate_call = 1;
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
  repeat found{back, away, "ping_pong", place_of_move(of, a), {}};
  found.sentence = "rank " + std::to_string(a.src) + " gave " + of.handle_name(a.handle) + " v" +
                   std::to_string(a.version) + " to rank " + std::to_string(a.dst) + " at " +
                   say_time(a.begin()) + ": migration at " + found.place +
                   ". Nobody wrote it, and it came back at " + say_time(b.begin()) + ". " +
                   say_bytes(b.bytes);
  if (b.end() != never && b.begin() != never)
    found.sentence += ", " + say_time(b.end() - b.begin());
  found.sentence += ".";
  return found;
}

}  // namespace

std::vector<repeat> repeats(const model& of, std::optional<std::uint32_t> handle) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, int, int>, std::uint32_t> last;
  std::vector<repeat> found;
  const auto look = [&](std::uint32_t h) {
    for (const std::uint32_t index : of.transfers_of(h)) {
      const transfer& x = of.transfers()[index];
      if (x.came_back)
        found.push_back(came_back(of, last.at({x.handle, x.version, x.dst, x.src}), index));
      const auto [at, first] = last.try_emplace({x.handle, x.version, x.src, x.dst}, index);
      if (first) continue;
      if (x.redundant) found.push_back(explain(of, at->second, index));
      at->second = index;
    }
  };
  if (handle) {
    look(*handle);
  } else {
    for (std::uint32_t h = 0; h < of.data().size(); ++h) look(h);
  }
  return found;
}

answer why_twice(const model& of, std::optional<std::uint32_t> handle, const run_part& part) {
  answer said;
  auto all = repeats(of, handle);
  std::erase_if(all, [&](const repeat& each) { return !part.has_transfer(of, each.transfer); });
  const std::string what = handle ? of.handle_name(*handle) : "the run";
  if (all.empty()) {
    said.sentences.push_back(what + ": no version was sent twice to one rank");
  } else {
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> causes;
    for (const repeat& each : all) {
      auto& [count, bytes] = causes[each.cause];
      ++count;
      bytes += of.transfers()[each.transfer].bytes;
      said.sentences.push_back(each.sentence);
    }
    table by_cause{"redundant transfers by cause", {"cause", "transfers", "bytes"}, {}};
    std::vector<std::pair<std::string, std::pair<std::uint64_t, std::uint64_t>>> sorted(
        causes.begin(), causes.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return a.second.second > b.second.second;
    });
    for (const auto& [cause, sum] : sorted)
      by_cause.rows.push_back({cause, say_count(sum.first), say_bytes(sum.second)});
    said.tables.push_back(std::move(by_cause));
  }
  if (!handle) return said;
  table moves{"transfers of " + what,
              {"version", "src", "dst", "began", "arrived", "bytes", "for", "again"},
              {}};
  for (const std::uint32_t index : of.transfers_of(*handle)) {
    if (!part.has_transfer(of, index)) continue;
    const transfer& x = of.transfers()[index];
    moves.rows.push_back({"v" + std::to_string(x.version), std::to_string(x.src),
                          std::to_string(x.dst), say_time(x.begin()),
                          x.end() == never ? "never" : say_time(x.end()), say_bytes(x.bytes),
                          needed_by(of, x),
                          x.redundant   ? "redundant"
                          : x.came_back ? "came back"
                                        : ""});
  }
  said.tables.push_back(std::move(moves));
  return said;
}

}  // namespace deed::viewer
