// SPDX-License-Identifier: MIT
#include "analysis/edit/edit.hpp"
#include "analysis/edit/packet_edit.hpp"
#include "analysis/edit/slice_start.hpp"
#include "analysis/edit/unwritable.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <span>
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

/// Adds a line to the environment, or changes the one that is there.
void put_moment(std::string& metadata, const std::string& key, std::int64_t time) {
  const std::size_t environment = metadata.find("\nenv {");
  const std::size_t end = metadata.find("\n}", environment);
  if (environment == std::string::npos || end == std::string::npos) return;
  const std::string line = "\n\t" + key + " = ";
  const std::string whole = line + "\"" + std::to_string(time) + "\";";
  const std::size_t before = metadata.find(line, environment);
  if (before < end)
    metadata.replace(before, metadata.find('\n', before + 1) - before, whole);
  else
    metadata.insert(end, whole);
}

/// The files of a slice are all closed, and one behind the other: what became of their rank, and
/// that events were missing, they cannot say.
void put_end(std::string& metadata, const run& from, int rank, const slice_options& wanted) {
  const auto about = std::ranges::find(from.ranks(), rank, &rank_info::rank);
  if (about == from.ranks().end()) return;
  if (about->has_gaps) put_moment(metadata, "slice_has_gaps", 1);
  if (wanted.range && wanted.range->to < about->last)
    put_moment(metadata, "slice_goes_on", 1);
  else if (!about->ended)
    put_moment(metadata, "slice_left_open", 1);
}

/// Beside what describes the records: which part of its run they are, since the Unix epoch.
void write_metadata(const lane_source& source, const files::path& folder, const run& from,
                    const slice_options& wanted) {
  std::ifstream in(files::path(source.folder) / "metadata", std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  keep_clock(text, source.layout->metadata);
  if (wanted.range) {
    put_moment(text, "slice_from", from.origin() + wanted.range->from);
    put_moment(text, "slice_to", from.origin() + wanted.range->to);
  }
  if (wanted.range || !wanted.ranks.empty()) put_moment(text, "slice_origin", from.origin());
  put_end(text, from, source.layout->rank, wanted);
  std::ofstream out(folder / "metadata", std::ios::binary);
  out << text << std::flush;
  if (!out) throw unwritable("`" + (folder / "metadata").string() + "` cannot be written");
}

/// The streams of a slice.
class slice_files {
 public:
  slice_files(const run& from, const std::string& to, const slice_options& wanted) : from_(from) {
    for (const lane_source& each : from.sources())
      if (wanted.ranks.empty() || wanted.ranks.contains(from.lanes()[each.lane].rank))
        open(each, to, wanted);
  }

  void add(const event& e) {
    const auto at = streams_.find(e.lane);
    if (at == streams_.end()) return;
    at->second.copier->add({e.payload, from_.payload_bytes(e)}, from_.origin() + e.time);
    ++copied_;
  }
  /// Of a rank that is in it; who owned a datum, another may say.
  void add(const former_state& state, std::int64_t time) {
    auto at = programs_.find(state.rank);
    if (at == programs_.end() && state.what == former_state::kind::owner) at = programs_.begin();
    if (at == programs_.end()) return;
    stream& to = streams_.at(at->second);
    const made_event made =
        record_of(state, *to.layout, to.id, from_.origin() + time, to.copier->last_stamp());
    if (made.bytes.empty()) return;
    to.copier->add(std::span(made.bytes).subspan(made.fields), from_.origin() + time);
    ++copied_;
  }
  std::uint64_t finish() {
    for (auto& [lane, each] : streams_) each.copier->finish();
    return copied_;
  }

 private:
  struct stream {
    std::unique_ptr<packet_copier> copier;
    const rank_layout* layout = nullptr;
    std::uint64_t id = 0;
  };

  void open(const lane_source& source, const std::string& to, const slice_options& wanted) {
    const lane& of = from_.lanes()[source.lane];
    const files::path folder = files::path(to) / files::path(source.folder).filename();
    std::error_code failed;
    files::create_directories(folder, failed);
    if (failed) throw unwritable("`" + to + "` cannot be written: " + failed.message());
    write_metadata(source, folder, from_, wanted);
    packet_head head;
    std::size_t position = 0;
    const char* why = nullptr;
    if (!read_head(*source.layout, source.first, position, head, why)) return;
    streams_[source.lane] = {
        std::make_unique<packet_copier>((folder / (of.name + ".000")).string(), *source.layout,
                                        head.stream_id, source.first.first(position),
                                        head.packet_bits / 8),
        source.layout, head.stream_id};
    if (head.kind == definitions_kind) return;
    if (of.is_program())
      programs_[of.rank] = source.lane;
    else
      programs_.try_emplace(of.rank, source.lane);
  }

  const run& from_;
  std::map<std::uint32_t, stream> streams_;  // By lane.
  std::map<int, std::uint32_t> programs_;    // The lane of each rank's program, or another.
  std::uint64_t copied_ = 0;
};

}  // namespace

std::uint64_t slice(const run& from, const std::string& to, const slice_options& wanted) {
  if (files::exists(to)) throw unwritable("`" + to + "` is there already: name another folder");
  std::optional<time_range> part = wanted.range;
  if (part) part->from = std::max(part->from, from.known_from());
  if (part) part->to = std::max(part->from, std::min(part->to, from.end()));
  slice_files into(from, to, {part, wanted.ranks});
  const event_list& all = from.events();
  const slice_start before =
      part ? start_of_slice(model(from), part->from, part->to) : slice_start{};
  auto needed = before.events.begin();
  bool begun = !part;
  for (std::uint32_t i = 0; i <= all.size(); ++i) {
    if (!begun && (i == all.size() || all.time(i) >= part->from)) {
      for (const former_state& each : before.states) into.add(each, part->from - 1);
      begun = true;
    }
    if (i == all.size()) break;
    const event e = all[i];
    const bool of_before = needed != before.events.end() && *needed == i;
    if (of_before) ++needed;
    const bool definition = e.what <= record::worker;
    const bool inside = !part || (e.time >= part->from && e.time <= part->to);
    if (definition || inside || of_before) into.add(e);
  }
  const std::uint64_t copied = into.finish();
  std::set<int> ranks = wanted.ranks;
  if (ranks.empty())
    for (const rank_info& each : from.ranks()) ranks.insert(each.rank);
  copy_repairs(from.path(), to, ranks);
  return copied;
}

}  // namespace deed::viewer
