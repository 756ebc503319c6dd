// SPDX-License-Identifier: MIT
#include "analysis/ask/ask.hpp"
#include "analysis/ask/caveats.hpp"
#include "analysis/ask/collective_calls.hpp"
#include "analysis/ask/device_work.hpp"
#include "analysis/ask/diff_failures.hpp"
#include "analysis/ask/sizes.hpp"
#include "analysis/clock/time_errors.hpp"
#include "analysis/say/sentence.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string>

namespace deed::viewer {
namespace {

std::vector<cell> row(const std::string& name, std::vector<std::int64_t>& times) {
  std::int64_t total = 0;
  for (const auto each : times) total += each;
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  const cell min = say_time(*least), max = say_time(*most);
  // By nearest rank: the least that so many of a hundred do not exceed. To sort all for two of
  // them would take most of the time of the answer.
  const auto percentile = [&](std::size_t percent) {
    const std::size_t nth = (times.size() * percent + 99) / 100;
    const auto at = times.begin() + static_cast<std::ptrdiff_t>(nth - 1);
    std::nth_element(times.begin(), at, times.end());
    return say_time(*at);
  };
  const cell median = percentile(50), p99 = percentile(99);
  return {name, say_count(times.size()), min, median, p99, max, say_time(total)};
}

/// How many took how long, in powers of two; a bar is as long as the share of the fullest one.
table say_histogram(const std::string& name, const std::vector<std::int64_t>& times) {
  constexpr std::size_t longest_bar = 40;
  std::array<std::uint64_t, 64> bins{};  // By the bits of the time.
  for (const std::int64_t each : times)
    ++bins[static_cast<std::size_t>(
        std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(each, 0))))];
  const auto filled = [](std::uint64_t count) { return count != 0; };
  const auto first = std::ranges::find_if(bins, filled) - bins.begin();
  const auto last = bins.rend() - std::ranges::find_if(bins.rbegin(), bins.rend(), filled);
  const std::uint64_t most = std::ranges::max(bins);
  table rows{"how long tasks of " + name + " took", {"from", "below", "tasks", ""}, {}};
  for (auto bin = static_cast<std::size_t>(first); bin < static_cast<std::size_t>(last); ++bin) {
    const std::size_t bar = (bins[bin] * longest_bar + most - 1) / most;
    rows.rows.push_back({say_time(bin == 0 ? 0 : std::int64_t{1} << (bin - 1)),
                         say_time(std::int64_t{1} << bin), say_count(bins[bin]),
                         std::string(bar, '#')});
  }
  return rows;
}

/// By rank: whether it recorded more than a slice has, so that what is open in it may well end.
std::vector<bool> ranks_that_go_on(const run& of) {
  std::vector<bool> found(of.ranks().size());
  for (const rank_info& each : of.ranks())
    if (each.rank >= 0 && static_cast<std::size_t>(each.rank) < found.size())
      found[static_cast<std::size_t>(each.rank)] = each.goes_on;
  return found;
}

bool goes_on(const std::vector<bool>& ranks, int rank) {
  return rank >= 0 && static_cast<std::size_t>(rank) < ranks.size() &&
         ranks[static_cast<std::size_t>(rank)];
}

/// Tasks of which nobody knows how long they take: what crashed, was killed or still runs is most
/// often what a reader looks for.
void say_without_time(const model& of, const run_part& part, answer& into) {
  std::vector<std::uint32_t> open;
  std::uint64_t cancelled = 0, later = 0;
  const std::vector<bool> go_on = ranks_that_go_on(of.events());
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    const task& t = of.tasks()[i];
    if (t.begin == never || !part.has_task(of, i)) continue;
    if (t.end == never && goes_on(go_on, t.rank))
      ++later;
    else if (t.end == never)
      open.push_back(i);
    if (t.was_cancelled()) ++cancelled;
  }
  if (cancelled != 0)
    into.sentences.push_back(say_some(cancelled, "task") +
                             (cancelled == 1 ? " was cancelled, ran nothing, and is in no row"
                                             : " were cancelled, ran nothing, and are in no row"));
  if (later != 0)
    into.sentences.push_back(say_some(later, "task") +
                             (later == 1 ? " goes on after the slice, and is in no row"
                                         : " go on after the slice, and are in no row"));
  if (open.empty()) return;
  into.sentences.push_back(say_some(open.size(), "task") + " began and did not end: " +
                           (open.size() == 1 ? "it is in no row, but in a table of its own"
                                             : "they are in no row, but in a table of their own"));
  const failures failed(of, {});
  table rows{"tasks that did not end", {"task", "worker", "began", "at least", "how it ended"}, {}};
  for (const std::uint32_t i : open) {
    const task& t = of.tasks()[i];
    rows.rows.push_back({of.task_label(i), t.lane == none ? "" : say_lane(of.events(), t.lane),
                         say_time(t.begin), say_time(of.end_of(t) - t.begin),
                         how_it_ended(of, i, failed)});
    rows.links.push_back("task:" + std::to_string(i));
  }
  into.tables.push_back(std::move(rows));
}

}  // namespace

answer stats(const model& of, const run_part& part, const std::vector<stats_by>& by,
             bool histogram) {
  if (auto missing = not_recorded(of, {"task"})) return std::move(*missing);
  std::map<std::string, std::vector<std::int64_t>> by_codelet;  // Some have the same name.
  std::vector<std::vector<std::int64_t>*> of_codelet;
  for (const auto& each : of.codelets()) of_codelet.push_back(&by_codelet[each.name]);
  of_codelet.push_back(&by_codelet["not recorded"]);
  std::map<int, std::vector<std::int64_t>> by_rank;
  std::map<std::uint32_t, std::vector<std::int64_t>> by_lane;
  const bool of_workers = std::ranges::count(by, stats_by::worker) != 0;
  for (std::uint32_t i = 0; i < of.tasks().size(); ++i) {
    const task& t = of.tasks()[i];
    if (t.begin == never || t.end == never || t.was_cancelled() || !part.has_task(of, i)) continue;
    of_codelet[std::min<std::size_t>(t.codelet, of.codelets().size())]->push_back(t.end - t.begin);
    by_rank[t.rank].push_back(t.end - t.begin);
    if (of_workers) by_lane[t.lane].push_back(t.end - t.begin);
  }
  std::erase_if(by_codelet, [](const auto& each) { return each.second.empty(); });
  const std::vector<std::string> columns{"", "tasks", "min", "median", "p99", "max", "total"};
  answer said;
  said.sentences = caveats(of);
  for (const stats_by each : by) {
    table rows{each == stats_by::codelet ? "per codelet"
               : each == stats_by::rank  ? "per rank"
                                         : "per worker",
               columns,
               {}};
    if (each == stats_by::codelet)
      for (auto& [name, times] : by_codelet) rows.rows.push_back(row(name, times));
    if (each == stats_by::rank)
      for (auto& [rank, times] : by_rank)
        rows.rows.push_back(row("rank " + std::to_string(rank), times));
    if (each == stats_by::worker)
      for (auto& [lane, times] : by_lane)
        rows.rows.push_back(row(say_lane(of.events(), lane), times));
    said.tables.push_back(std::move(rows));
  }
  if (histogram)
    for (const auto& [name, times] : by_codelet) said.tables.push_back(say_histogram(name, times));
  say_without_time(of, part, said);
  if (std::string none_there = say_no_time_on_devices(of); !none_there.empty())
    said.sentences.push_back(std::move(none_there));
  for (table& each : copies_of_devices(of, part)) said.tables.push_back(std::move(each));
  return said;
}

namespace {

struct traffic {
  std::uint64_t bytes = 0, messages = 0, redundant = 0, pending = 0;
  std::int64_t latency = 0;
  std::uint64_t measured = 0;
};

/// By sender and receiver.
std::map<std::pair<int, int>, traffic> traffic_by_pair(const model& of, const run_part& part) {
  std::map<std::pair<int, int>, traffic> cells;
  const std::vector<std::uint64_t> sizes = sizes_of_data(of);
  for (std::uint32_t i = 0; i < of.transfers().size(); ++i) {
    if (!part.has_transfer(of, i)) continue;
    const transfer& x = of.transfers()[i];
    traffic& c = cells[{x.src, x.dst}];
    if (x.never_took_place()) {
      ++c.pending;
      continue;
    }
    c.bytes += bytes_moved(x, sizes);
    ++c.messages;
    if (x.in_vain()) c.redundant += x.bytes;
    if (x.begin() == never || x.done_receive == never) continue;
    c.latency += std::max<std::int64_t>(0, x.done_receive - x.on_the_wire());
    ++c.measured;
  }
  return cells;
}

/// From rank to rank.
cell mean_time(const model& of, const std::pair<int, int>& ranks, const traffic& c) {
  if (c.measured == 0) return "-";
  const std::int64_t mean = c.latency / static_cast<std::int64_t>(c.measured);
  const bool tells = of.clock_errors().tell(ranks.first, ranks.second, mean);
  return tells ? say_time(mean) : cell("not known");
}

/// "120 messages, 1.2 MB; 2 more were called for and never took place". Empty: none were.
std::string say_pending(const model& of, const std::map<std::pair<int, int>, traffic>& cells) {
  traffic all;
  for (const auto& [pair, c] : cells) {
    all.messages += c.messages;
    all.bytes += c.bytes;
    all.pending += c.pending;
  }
  if (all.pending == 0) return {};
  return say_some(all.messages, "message") + ", " + say_bytes(all.bytes) + "; " +
         say_not_taken_place(of, all.pending);
}

/// What times are worth, what is counted that was not sent, and what is not counted that was.
void say_beside(const model& of, const std::map<std::pair<int, int>, traffic>& cells,
                const run_part& part, answer& into) {
  for (std::string text :
       {say_clock_errors(of), say_pending(of, cells), say_collective_calls(of, part)})
    if (!text.empty()) into.sentences.push_back(std::move(text));
}

}  // namespace

answer comm_square(const model& of, traffic_of what, const run_part& part) {
  if (auto missing = not_recorded(of, {"xfer"})) return std::move(*missing);
  constexpr std::array<const char*, 4> names{"messages", "bytes", "mean time", "redundant bytes"};
  const auto cells = traffic_by_pair(of, part);
  table square{std::string(names[static_cast<std::size_t>(what)]) + ": rows send, columns receive",
               {"rank"},
               {}};
  const std::size_t ranks = of.events().ranks().size();
  for (std::size_t dst = 0; dst < ranks; ++dst) square.columns.push_back(std::to_string(dst));
  for (std::size_t src = 0; src < ranks; ++src) {
    std::vector<cell> row{std::to_string(src)};
    for (std::size_t dst = 0; dst < ranks; ++dst) {
      const auto found = cells.find({static_cast<int>(src), static_cast<int>(dst)});
      const traffic c = found == cells.end() ? traffic{} : found->second;
      row.push_back(c.messages == 0                ? cell("-")
                    : what == traffic_of::messages ? say_count(c.messages)
                    : what == traffic_of::bytes    ? say_bytes(c.bytes)
                    : what == traffic_of::time
                        ? mean_time(of, {static_cast<int>(src), static_cast<int>(dst)}, c)
                        : say_bytes(c.redundant));
    }
    square.rows.push_back(std::move(row));
  }
  answer said{{}, {std::move(square)}};
  say_beside(of, cells, part, said);
  return said;
}

answer comm_matrix(const model& of, const run_part& part) {
  if (auto missing = not_recorded(of, {"xfer"})) return std::move(*missing);
  const auto cells = traffic_by_pair(of, part);
  answer said;
  say_beside(of, cells, part, said);
  table rows{"from rank to rank",
             {"src", "dst", "messages", "bytes", "mean size", "mean time", "redundant", "pending"},
             {}};
  for (const auto& [pair, c] : cells)
    rows.rows.push_back({std::to_string(pair.first), std::to_string(pair.second),
                         say_count(c.messages), say_bytes(c.bytes),
                         c.messages == 0 ? cell("-") : say_bytes(c.bytes / c.messages),
                         mean_time(of, pair, c), say_bytes(c.redundant), say_count(c.pending)});
  said.tables.push_back(std::move(rows));
  for (const slow_link& each : slow_links(of, part))
    said.sentences.push_back(
        "between rank " + std::to_string(each.low) + " and rank " + std::to_string(each.high) +
        " the fastest message there and the fastest back take " + say_time(each.took) +
        "; between most ranks they take " + say_time(each.usual));
  return said;
}

}  // namespace deed::viewer
