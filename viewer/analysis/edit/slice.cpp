// SPDX-License-Identifier: MIT
#include "analysis/edit/edit.hpp"
#include "analysis/edit/packet_edit.hpp"
#include "analysis/edit/unwritable.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>

namespace deed::viewer {
namespace {

namespace files = std::filesystem;

}  // namespace

std::optional<std::int64_t> first_error(const run& of) {
  const event_list& events = of.events();
  for (std::size_t i = 0; i < events.size(); ++i)
    if (events.what(i) == record::error || events.what(i) == record::fatal_signal)
      return events[i].time;
  return {};
}

time_range around(const run& of, std::int64_t when, std::uint64_t events) {
  const event_list& all = of.events();
  if (all.empty()) return {when, when};
  const auto at = static_cast<std::uint64_t>(
      std::lower_bound(all.begin(), all.end(), when,
                       [](const event& e, std::int64_t time) { return e.time < time; }) -
      all.begin());
  const std::uint64_t before = std::min(at, events - events / 10);
  const std::uint64_t last = std::min<std::uint64_t>(all.size() - 1, at + events / 10);
  return {all[at - before].time, std::max(when, all[last].time)};
}

namespace {

/// Ranks of one machine are read by the clock of the lowest, which may stay behind.
void keep_clock(std::string& metadata, const trace_layout& of) {
  std::size_t at = metadata.find("\nclock {");
  const auto put = [&](const std::string& key, const std::string& value) {
    at = metadata.find("\t" + key + " = ", at);
    const std::size_t end = metadata.find(';', at);
    if (end == std::string::npos) return;
    metadata.replace(at, end - at, "\t" + key + " = " + value);
  };
  put("freq", std::to_string(of.hertz));
  put("offset_s", std::to_string(of.offset_seconds));
  put("offset", std::to_string(of.offset_stamps));
}

/// Beside what describes the records: which part of its run they are, since the Unix epoch.
void write_metadata(const lane_source& source, const files::path& folder, const run& from,
                    const slice_options& wanted) {
  std::ifstream in(files::path(source.folder) / "metadata", std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  keep_clock(text, source.layout->metadata);
  const std::size_t environment = text.find("\nenv {");
  const std::size_t end = text.find("\n}", environment);
  if (wanted.range && environment != std::string::npos && end != std::string::npos) {
    const auto moment = [&](std::int64_t time) { return std::to_string(from.origin() + time); };
    text.insert(end, "\n\tslice_from = \"" + moment(wanted.range->from) + "\";\n\tslice_to = \"" +
                         moment(wanted.range->to) + "\";");
  }
  std::ofstream out(folder / "metadata", std::ios::binary);
  out << text << std::flush;
  if (!out) throw unwritable("`" + (folder / "metadata").string() + "` cannot be written");
}

}  // namespace

std::uint64_t slice(const run& from, const std::string& to, const slice_options& wanted) {
  if (files::exists(to)) throw unwritable("`" + to + "` is there already: name another folder");
  const auto rank_wanted = [&](int rank) {
    return wanted.ranks.empty() || wanted.ranks.contains(rank);
  };
  std::map<std::uint32_t, std::unique_ptr<packet_copier>> copiers;  // By lane.
  for (const lane_source& each : from.sources()) {
    const lane& of = from.lanes()[each.lane];
    if (!rank_wanted(of.rank)) continue;
    const files::path folder = files::path(to) / files::path(each.folder).filename();
    std::error_code failed;
    files::create_directories(folder, failed);
    if (failed) throw unwritable("`" + to + "` cannot be written: " + failed.message());
    write_metadata(each, folder, from, wanted);
    packet_head head;
    std::size_t position = 0;
    const char* why = nullptr;
    if (!read_head(*each.layout, each.first, position, head, why)) continue;
    copiers[each.lane] = std::make_unique<packet_copier>(
        (folder / (of.name + ".000")).string(), *each.layout, head.stream_id,
        each.first.first(position), head.packet_bits / 8);
  }
  std::uint64_t copied = 0;
  for (const event& e : from.events()) {
    const auto at = copiers.find(e.lane);
    if (at == copiers.end()) continue;
    const bool definition = e.what <= record::worker;
    const bool inside =
        !wanted.range || (e.time >= wanted.range->from && e.time <= wanted.range->to);
    if (!definition && !inside) continue;
    at->second->add({e.payload, from.payload_bytes(e)}, from.origin() + e.time);
    ++copied;
  }
  for (auto& [lane, each] : copiers) each->finish();
  return copied;
}

}  // namespace deed::viewer
