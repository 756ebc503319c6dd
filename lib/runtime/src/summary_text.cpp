// SPDX-License-Identifier: MIT
#include "report.hpp"
#include "summary.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <ranges>
#include <string_view>
#include <utility>

/// @file
/// The summary as a person reads it: one screen, whatever the number of ranks.

namespace deed::runtime {
namespace {

// The others as one line: it is one screen.
constexpr std::size_t ranks_shown = 8, codelets_shown = 8, waits_shown = 5;

/// Rows of cells, each column as wide as its widest.
class table {
 public:
  /// `sides`: for each column, 'l' or 'r'.
  explicit table(std::string_view sides) : sides_(sides) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] std::string text() const;

 private:
  std::string_view sides_;
  std::vector<std::vector<std::string>> rows_;
};

std::string table::text() const {
  std::string all;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::size_t width = 0;
      for (const auto& each : rows_) width = std::max(width, each[i].size());
      const std::string space(width - row[i].size(), ' ');
      line += "  " + (sides_[i] == 'l' ? row[i] + space : space + row[i]);
    }
    all += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return all;
}

std::string percent(double part, double whole) {
  if (whole <= 0) return "-";
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.0f %%", 100 * part / whole);
  return text.data();
}

/// Time of all threads that run tasks.
double thread_time(std::span<const rank_summary> ranks) {
  double sum = 0;
  for (const rank_summary& each : ranks) sum += static_cast<double>(each.run_ns * each.workers);
  return sum;
}

std::uint64_t bytes_of(const std::map<int, traffic>& peers) {
  std::uint64_t sum = 0;
  for (const auto& [peer, each] : peers) sum += each.payload_bytes;
  return sum;
}

using row = std::vector<std::string>;

row row_of(std::string name, std::span<const rank_summary> ranks) {
  std::uint64_t tasks = 0, hits = 0, misses = 0, saved = 0, sent = 0, received = 0, memory = 0;
  double in_tasks = 0, idle = 0, program = 0, overhead = 0;
  for (const rank_summary& each : ranks) {
    const statistics& counts = each.counts;
    tasks += counts.tasks_run;
    hits += counts.cache_hits;
    misses += counts.cache_misses;
    saved += counts.cache_bytes_saved;
    sent += bytes_of(counts.sent_to);
    received += bytes_of(counts.received_from);
    memory += each.peak_memory_bytes;
    in_tasks += each.in_tasks_ns();
    idle += static_cast<double>(counts.idle.count());
    program += static_cast<double>(counts.program.count());
    overhead += each.overhead_ns();
  }
  const double all = thread_time(ranks);
  row cells{std::move(name),
            grouped(tasks),
            percent(in_tasks, all),
            percent(idle, all),
            ranks.front().program_helps ? percent(program, all) : "-",
            percent(overhead, all),
            amount(sent),
            amount(received),
            percent(static_cast<double>(hits), static_cast<double>(hits + misses)),
            amount(saved)};
  if (ranks.front().is_a_process) cells.push_back(amount(memory));
  return cells;
}

bool used_devices(const rank_summary& of) {
  return of.counts.tasks_on_devices + of.counts.bytes_to_devices != 0;
}

row devices_of(std::string name, std::span<const rank_summary> ranks) {
  std::uint64_t tasks = 0, there = 0, back = 0, evictions = 0;
  for (const rank_summary& each : ranks) {
    tasks += each.counts.tasks_on_devices;
    there += each.counts.bytes_to_devices;
    back += each.counts.bytes_from_devices;
    evictions += each.counts.device_evictions;
  }
  return {std::move(name), grouped(tasks), amount(there), amount(back), grouped(evictions)};
}

/// Each of the first ranks, the others as one, and all.
template <class RowOf>
void add_ranks(table& to, std::span<const rank_summary> ranks, RowOf row_of_these) {
  const std::size_t few = std::min(ranks.size(), ranks_shown);
  for (const rank_summary& each : ranks.first(few))
    to.add(row_of_these(std::to_string(each.rank), std::span(&each, 1)));
  if (ranks.size() > few) {
    to.add(row_of_these(std::to_string(few) + ".." + std::to_string(ranks.size() - 1),
                        ranks.subspan(few)));
  }
  if (ranks.size() > 1) to.add(row_of_these("all", ranks));
}

std::string headline(std::span<const rank_summary> ranks) {
  const rank_summary& first = ranks.front();
  std::uint64_t tasks = 0;
  for (const rank_summary& each : ranks) tasks += each.counts.tasks_run;
  std::array<char, 48> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%.2f s", static_cast<double>(first.run_ns) * 1e-9);
  std::string line = "deed summary: " + counted(ranks.size(), "rank") + " of " +
                     counted(first.workers, "thread") + ", " + seconds.data() +
                     (first.in_virtual_time ? " of virtual time, " : ", ") + grouped(tasks) +
                     (tasks == 1 ? " task" : " tasks");
  if (!first.is_a_process && first.peak_memory_bytes != 0)
    line += ", peak memory " + amount(first.peak_memory_bytes);
  return line + "\n";
}

std::string codelets_of(std::span<const rank_summary> ranks) {
  std::map<std::string, codelet_use> together;
  for (const rank_summary& each : ranks) {
    for (const auto& [name, used] : each.counts.codelets) together[name].add(used);
  }
  if (together.empty()) return {};
  std::vector<std::pair<std::string, codelet_use>> sorted(together.begin(), together.end());
  std::ranges::stable_sort(sorted, std::greater<>(),
                           [](const auto& each) { return each.second.total_ns(); });
  const double all = thread_time(ranks);
  table codelets("lrrrr");
  codelets.add({"codelet", "tasks", "busy", "mean", "sd"});
  const std::size_t few = std::min(sorted.size(), codelets_shown);
  for (const auto& [name, used] : std::span(sorted).first(few)) {
    const bool known = used.timed > 0;
    codelets.add({name, grouped(used.tasks + used.on_devices),
                  known ? percent(used.total_ns(), all) : "-",
                  known ? lasting(used.mean_ns()) : "-",
                  used.timed > 1 ? lasting(used.deviation_ns()) : "-"});
  }
  if (sorted.size() > few) {
    std::uint64_t tasks = 0;
    double total = 0;
    for (const auto& [name, used] : std::span(sorted).subspan(few)) {
      tasks += used.tasks + used.on_devices;
      total += used.total_ns();
    }
    codelets.add({std::to_string(sorted.size() - few) + " more", grouped(tasks),
                  percent(total, all), "", ""});
  }
  return codelets.text();
}

std::string waits_of(std::span<const rank_summary> ranks) {
  std::vector<std::pair<int, const wait_use*>> sorted;
  for (const rank_summary& each : ranks) {
    for (const wait_use& wait : each.counts.waits) sorted.emplace_back(each.rank, &wait);
  }
  if (sorted.empty()) return {};
  std::ranges::stable_sort(sorted, std::greater<>(),
                           [](const auto& each) { return each.second->total; });
  if (sorted.size() > waits_shown) sorted.resize(waits_shown);
  const auto text = [](std::chrono::nanoseconds time) {
    return lasting(static_cast<double>(time.count()));
  };
  table waits("lrrrl");
  waits.add({"waits for", "total", "times", "longest", "where"});
  for (const auto& [rank, wait] : sorted) {
    std::string where = rank_label(rank);
    if (wait->from >= 0) where += " from " + rank_label(wait->from) + ", " + wait->where;
    if (!wait->longest_for.empty()) where += ", longest for " + wait->longest_for;
    waits.add({wait->what, text(wait->total), grouped(wait->times), text(wait->longest), where});
  }
  return waits.text();
}

}  // namespace

std::string as_text(std::span<const rank_summary> ranks) {
  table counts("lrrrrrrrrrr");
  row head{"rank",     "tasks", "busy",     "idle",       "program",
           "overhead", "sent",  "received", "cache hits", "saved"};
  if (ranks.front().is_a_process) head.push_back("peak memory");
  counts.add(std::move(head));
  add_ranks(counts, ranks, row_of);
  std::string all = headline(ranks) + counts.text();
  if (std::ranges::any_of(ranks, used_devices)) {
    table devices("lrrrr");
    devices.add({"rank", "tasks on devices", "to them", "from them", "evictions"});
    add_ranks(devices, ranks, devices_of);
    all += devices.text();
  }
  return all + codelets_of(ranks) + waits_of(ranks);
}

}  // namespace deed::runtime
