// SPDX-License-Identifier: MIT
#include "summary.hpp"

#include <deed/base/error.hpp>

#include "report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

namespace deed::runtime {
namespace {

constexpr std::size_t ranks_shown = 8;  // The others as one line: the table is one screen.

traffic sum_of(const std::map<int, traffic>& peers) {
  traffic sum;
  for (const auto& [peer, each] : peers) {
    sum.transfers += each.transfers;
    sum.payload_bytes += each.payload_bytes;
  }
  return sum;
}

std::string line_of(const std::string& name, std::span<const rank_summary> ranks) {
  std::uint64_t tasks = 0, busy_ns = 0, could_ns = 0, hits = 0, misses = 0, saved = 0;
  traffic sent, received;
  for (const rank_summary& each : ranks) {
    tasks += each.counts.tasks_run;
    busy_ns += static_cast<std::uint64_t>(each.counts.busy.count());
    could_ns += each.run_ns * each.workers;
    hits += each.counts.cache_hits;
    misses += each.counts.cache_misses;
    saved += each.counts.cache_bytes_saved;
    const traffic out = sum_of(each.counts.sent_to), in = sum_of(each.counts.received_from);
    sent.transfers += out.transfers;
    sent.payload_bytes += out.payload_bytes;
    received.payload_bytes += in.payload_bytes;
  }
  std::array<char, 160> text{};
  const double busy =
      could_ns == 0 ? 0 : 100 * static_cast<double>(busy_ns) / static_cast<double>(could_ns);
  std::snprintf(text.data(), text.size(),
                "  %-9s %10llu %6.1f %% %10llu %12s %12s %11llu %8llu %12s\n", name.c_str(),
                static_cast<unsigned long long>(tasks), busy,
                static_cast<unsigned long long>(sent.transfers), amount(sent.payload_bytes).c_str(),
                amount(received.payload_bytes).c_str(), static_cast<unsigned long long>(hits),
                static_cast<unsigned long long>(misses), amount(saved).c_str());
  return text.data();
}

bool used_devices(const rank_summary& of) {
  return of.counts.tasks_on_devices + of.counts.bytes_to_devices != 0;
}

std::string devices_of(const std::string& name, std::span<const rank_summary> ranks) {
  std::uint64_t tasks = 0, there = 0, back = 0, evictions = 0;
  for (const rank_summary& each : ranks) {
    tasks += each.counts.tasks_on_devices;
    there += each.counts.bytes_to_devices;
    back += each.counts.bytes_from_devices;
    evictions += each.counts.device_evictions;
  }
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), "  %-9s %16llu %12s %12s %10llu\n", name.c_str(),
                static_cast<unsigned long long>(tasks), amount(there).c_str(), amount(back).c_str(),
                static_cast<unsigned long long>(evictions));
  return text.data();
}

using lines = std::string (*)(const std::string& name, std::span<const rank_summary> ranks);

/// Each of the first ranks, the others as one, and all.
std::string table_of(lines line, std::span<const rank_summary> ranks) {
  std::string all;
  const std::size_t few = std::min(ranks.size(), ranks_shown);
  for (const rank_summary& each : ranks.first(few))
    all += line(std::to_string(each.rank), {&each, 1});
  if (ranks.size() > few)
    all += line(std::to_string(few) + ".." + std::to_string(ranks.size() - 1), ranks.subspan(few));
  if (ranks.size() > 1) all += line("all", ranks);
  return all;
}

using field = std::pair<std::string_view, std::uint64_t>;

/// Names and numbers of one object, without its braces.
void put(std::ostream& out, std::span<const field> fields) {
  for (const auto& [name, number] : fields) {
    out << (&name == &fields.front().first ? "" : ", ") << '"' << name << "\": " << number;
  }
}

void put_peers(std::ostream& out, const std::map<int, traffic>& peers, bool sent) {
  std::string_view between;
  for (const auto& [peer, of] : peers) {
    const std::array fields{field{"rank", static_cast<std::uint64_t>(peer)},
                            field{"transfers", of.transfers},
                            field{"payload_bytes", of.payload_bytes},
                            field{"announced", of.announced},
                            field{"data_frames", of.data_frames},
                            field{"control_frames", of.control_frames},
                            field{"other_frames", of.other_frames},
                            field{"header_bytes", of.header_bytes}};
    out << std::exchange(between, ",") << "\n      {";
    put(out, std::span(fields).first(sent ? fields.size() : 3));
    out << '}';
  }
}

void put_owners(std::ostream& out, const std::map<int, cache_use>& owners) {
  std::string_view between;
  for (const auto& [owner, of] : owners) {
    out << std::exchange(between, ",") << "\n      {";
    put(out, std::array{field{"rank", static_cast<std::uint64_t>(owner)}, field{"hits", of.hits},
                        field{"misses", of.misses}, field{"bytes_saved", of.bytes_saved}});
    out << '}';
  }
}

[[noreturn]] void refuse(const std::string& file) {
  throw error(error_code::cannot_write, "the summary cannot be written", {{"file", file}},
              "name a file in a folder that can be written: `--deed-summary=FILE`");
}

}  // namespace

void summary::add(rank_summary&& of) {
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::lower_bound(ranks_, of.rank, {}, &rank_summary::rank);
  ranks_.insert(at, std::move(of));
}

std::size_t summary::heard() const {
  const std::lock_guard lock(mutex_);
  return ranks_.size();
}

void summary::print(const std::string& target) const {
  if (target == "text") {
    std::fputs(as_text().c_str(), stderr);
    return;
  }
  const std::string beside = target + ".part";  // Never half of a file under its name.
  std::ofstream out(beside);
  out << as_json() << std::flush;
  out.close();
  std::error_code failed;
  if (out) std::filesystem::rename(beside, target, failed);
  if (out && !failed) return;
  std::filesystem::remove(beside, failed);
  refuse(target);
}

std::string summary::as_text() const {
  std::array<char, 160> text{};
  const auto seconds = static_cast<double>(ranks_.front().run_ns) * 1e-9;
  std::string all = "deed summary: " + counted(ranks_.size(), "rank") + ", " +
                    counted(ranks_.front().workers, "worker") + " each, ";
  std::snprintf(text.data(), text.size(), "%.2f s\n  %-9s %10s %8s %10s %12s %12s %11s %8s %12s\n",
                seconds, "rank", "tasks", "busy", "transfers", "sent", "received", "cache hits",
                "misses", "bytes saved");
  all += text.data();
  all += table_of(line_of, ranks_);
  if (std::ranges::none_of(ranks_, used_devices)) return all;
  std::snprintf(text.data(), text.size(), "  %-9s %16s %12s %12s %10s\n", "rank",
                "tasks on devices", "to them", "from them", "evictions");
  all += text.data();
  return all + table_of(devices_of, ranks_);
}

std::string summary::as_json() const {
  std::ostringstream out;
  out << "{\n  \"ranks\": " << ranks_.size() << ",\n  \"per_rank\": [";
  std::string_view between;
  for (const auto& [rank, run_ns, workers, counts] : ranks_) {
    const std::array fields{field{"rank", static_cast<std::uint64_t>(rank)},
                            field{"run_ns", run_ns},
                            field{"workers", workers},
                            field{"busy_ns", static_cast<std::uint64_t>(counts.busy.count())},
                            field{"tasks_submitted", counts.tasks_submitted},
                            field{"tasks_run", counts.tasks_run},
                            field{"tasks_cancelled", counts.tasks_cancelled},
                            field{"cache_hits", counts.cache_hits},
                            field{"cache_misses", counts.cache_misses},
                            field{"cache_bytes_saved", counts.cache_bytes_saved},
                            field{"copies_bytes", counts.copies_bytes},
                            field{"most_copies_bytes", counts.most_copies_bytes},
                            field{"tasks_on_devices", counts.tasks_on_devices},
                            field{"bytes_to_devices", counts.bytes_to_devices},
                            field{"bytes_from_devices", counts.bytes_from_devices},
                            field{"device_evictions", counts.device_evictions},
                            field{"messages_sent", counts.messages_sent}};
    out << std::exchange(between, ",") << "\n    {";
    put(out, fields);
    out << ",\n     \"sent_to\": [";
    put_peers(out, counts.sent_to, true);
    out << "],\n     \"received_from\": [";
    put_peers(out, counts.received_from, false);
    out << "],\n     \"cache_of\": [";
    put_owners(out, counts.cache_of);
    out << "]}";
  }
  out << "\n  ]\n}\n";
  return std::move(out).str();
}

}  // namespace deed::runtime
