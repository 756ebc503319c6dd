// SPDX-License-Identifier: MIT
#include "analysis/read/outline.hpp"

#include "analysis/read/mapped_file.hpp"
#include "analysis/read/merge.hpp"
#include "analysis/read/packets.hpp"
#include "analysis/read/rank_folder.hpp"
#include "analysis/read/shared_clocks.hpp"
#include "analysis/read/slice_moments.hpp"
#include "analysis/read/told_losses.hpp"
#include "analysis/read/unpacked.hpp"
#include "analysis/say/units.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <span>
#include <utility>

namespace deed::viewer {
namespace {

constexpr const char* definitions = "defs";

struct outlined_stream {
  std::shared_ptr<const rank_layout> layout;
  std::vector<std::string> files;
  outlined_lane lane;
  std::uint64_t discarded = 0;
  bool prepared = false;  // Its last packet waits for events.
  bool damaged = false;
  std::int64_t known_from = 0;  // Packets before it were given up; since the Unix epoch.
  std::uint64_t bytes = 0;
  bool packed = false;
};

/// A recorder that was closed has cut off what it prepared: packets with a stamp of ten years on.
bool is_prepared(const rank_layout& layout, std::uint64_t first, const packet_head& head) {
  constexpr std::uint64_t three_years = 100'000'000;
  return head.begin == head.end && head.end > first &&
         (head.end - first) / layout.metadata.hertz > three_years;
}

/// Reads, and does not map: a fault of a page costs more than the few bytes that are wanted of it.
/// Prepared packets, which hold no event yet, are left out: their stamp is years away.
void read_heads(outlined_stream& of, const std::string& path, std::uint64_t& first) {
  constexpr std::size_t most_head = 512;
  std::ifstream file;
  file.rdbuf()->pubsetbuf(nullptr, 0);
  file.open(path, std::ios::binary);
  const rank_layout& layout = *of.layout;
  std::error_code gone;
  const std::uint64_t size = std::filesystem::file_size(path, gone);
  std::array<std::byte, most_head> bytes{};
  packet_head head;
  std::uint64_t start = 0;
  for (; !gone && start < size; start += head.packet_bits / 8) {
    file.seekg(static_cast<std::streamoff>(start));
    file.read(reinterpret_cast<char*>(bytes.data()), most_head);
    const auto there = static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount()));
    file.clear();
    std::size_t behind = 0;
    const char* why = nullptr;
    of.damaged |= !read_head(layout, std::span(bytes).first(there), behind, head, why);
    if (of.damaged) return;
    if (first == 0) first = head.begin;
    of.prepared = is_prepared(layout, first, head);
    of.lane.kind = static_cast<trace::stream_kind>(head.kind);
    const std::uint64_t content = head.content_bits / 8;
    const std::uint64_t lost = of.discarded;
    of.discarded = std::max(lost, head.discarded);
    if (content <= behind || head.begin > head.end) continue;
    const bool sliced = layout.metadata.environment.contains("slice_from");
    const bool given_up = head.sequence != no_sequence && head.sequence != 0 && layout.is_ring;
    if (of.lane.packets.empty() && given_up && !sliced)
      of.known_from = stamp_scale::exact(layout.metadata, head.begin);
    of.lane.packets.push_back({stamp_scale::exact(layout.metadata, head.begin),
                               stamp_scale::exact(layout.metadata, head.end), content - behind,
                               head.discarded > lost});
  }
  of.damaged |= start > size;
}

/// Packets end when they are closed, and begin when they are opened: a run lasts from its first
/// event to its last.
void trim_to_events(outlined_stream& of, const std::string& first, const std::string& last) {
  if (of.lane.packets.empty()) return;
  const trace_layout& clock = of.layout->metadata;
  std::uint64_t stamp = 0;
  if (first_stamp(*of.layout, mapped_file(first).bytes(), stamp))
    of.lane.packets.front().begin = stamp_scale::exact(clock, stamp);
  const mapped_file file(last);
  packet_head head;
  std::size_t behind = 0;
  const char* why = nullptr;
  for (std::span<const std::byte> rest = file.bytes(); !rest.empty();) {
    if (!read_head(*of.layout, rest, behind, head, why)) return;
    const std::size_t bytes = std::min<std::size_t>(head.packet_bits / 8, rest.size());
    if (head.begin <= head.end && head.content_bits / 8 > behind &&
        stamp_scale::exact(clock, head.end) == of.lane.packets.back().end) {
      const whole_events found = find_whole_events(*of.layout, head, rest.first(bytes), behind);
      of.lane.packets.back().end = stamp_scale::exact(clock, found.last_stamp);
      return;
    }
    rest = rest.subspan(bytes);
  }
}

void read_stream(outlined_stream& of) {
  std::uint64_t first = 0;                                        // Its first stamp.
  const std::string *first_file = nullptr, *last_file = nullptr;  // With events.
  for (const std::string& each : of.files) {
    std::error_code gone;
    const std::uintmax_t size = std::filesystem::file_size(each, gone);
    of.bytes += gone ? 0 : size;
    if (is_packed(each)) {
      of.packed = true;
      continue;
    }
    const std::size_t before = of.lane.packets.size();
    read_heads(of, each, first);
    if (of.lane.packets.size() == before) continue;
    if (before == 0) first_file = &each;
    last_file = &each;
  }
  if (first_file != nullptr) trim_to_events(of, *first_file, *last_file);
}

void add_missing(std::vector<outlined_rank>& ranks, std::uint64_t size) {
  constexpr std::uint64_t most_ranks = 1 << 20;
  for (std::uint64_t rank = 0; rank < std::min(size, most_ranks); ++rank) {
    const auto number = static_cast<int>(rank);
    if (std::ranges::find(ranks, number, &outlined_rank::rank) == ranks.end())
      ranks.emplace_back().rank = number;
  }
  std::ranges::sort(ranks, {}, &outlined_rank::rank);
}

std::vector<outlined_stream> streams_of(const std::string& path, run_outline& of) {
  std::vector<outlined_stream> streams;
  shared_clocks shared;
  std::uint64_t size = 0;  // How many ranks there were.
  bool any = false;
  for (const auto& [rank, folder] : rank_folders(path)) {
    try {
      trace_layout described = parse_metadata(metadata_text(folder));
      shared.share(described);
      const auto layout = std::make_shared<const rank_layout>(std::move(described), rank);
      any = true;
      const auto& environment = layout->metadata.environment;
      if (const auto ranks = environment.find("size"); ranks != environment.end())
        size = std::max(size, to_number(ranks->second));
      const segments all = segments_of(folder, environment);
      outlined_rank& mine = of.ranks.emplace_back();
      mine.rank = rank;
      mine.present = mine.ended = true;
      mine.environment = environment;
      const told_losses told = told_losses_in(layout->metadata);
      mine.discarded = told.unplaced;
      mine.lost_from = told.since;
      const slice_moments part = slice_moments_in(environment);
      mine.ended = !told.not_closed && !part.left_open;
      mine.goes_on = part.goes_on;
      mine.has_gaps = part.has_gaps;
      for (const auto& [stem, files] : all) {
        outlined_stream& each = streams.emplace_back();
        each.layout = layout;
        each.lane.rank = rank;
        each.lane.name = stem;
        for (const auto& [number, file] : files) each.files.push_back(file);
      }
    } catch (const unreadable& damaged) {
      of.incomplete.push_back("rank " + std::to_string(rank) + ": " + damaged.what());
    }
  }
  if (!any) throw unreadable("`" + path + "`: " + of.incomplete.front());
  add_missing(of.ranks, size);
  return streams;
}

bool simulated(const run_outline& of) {
  return std::ranges::any_of(of.ranks, [](const outlined_rank& each) {
    const auto clock = each.environment.find("clock_kind");
    return clock != each.environment.end() && clock->second == "virtual";
  });
}

/// Times count from the first packet; what is a hundred days from the middle one is damage.
void set_origin(run_outline& of) {
  std::vector<std::int64_t> begins;
  for (const outlined_lane& lane : of.lanes)
    for (const outlined_packet& each : lane.packets) begins.push_back(each.begin);
  if (begins.empty()) return;
  const auto middle = begins.begin() + static_cast<std::ptrdiff_t>(begins.size() / 2);
  std::nth_element(begins.begin(), middle, begins.end());
  const std::int64_t earliest = *middle - hundred_days, latest = *middle + hundred_days;
  std::int64_t origin = std::numeric_limits<std::int64_t>::max();
  for (outlined_lane& lane : of.lanes) {
    std::erase_if(lane.packets, [&](const outlined_packet& each) {
      return each.begin < earliest || each.end > latest;
    });
    for (const outlined_packet& each : lane.packets) origin = std::min(origin, each.begin);
  }
  std::vector<slice_moments> cut;
  for (const outlined_rank& each : of.ranks)
    if (each.present) cut.push_back(slice_moments_in(each.environment));
  of.origin = simulated(of) ? 0 : origin_of(origin, cut);
  for (outlined_lane& lane : of.lanes)
    for (outlined_packet& each : lane.packets) {
      each.begin -= of.origin;
      each.end -= of.origin;
      of.end = std::max(of.end, each.end);
    }
  of.end = std::max<std::int64_t>(0, end_of(of.origin + of.end, cut) - of.origin);
}

void add_to_rank(const outlined_stream& from, std::vector<outlined_rank>& ranks) {
  const auto of = std::ranges::find(ranks, from.lane.rank, &outlined_rank::rank);
  if (of == ranks.end()) return;
  for (const outlined_packet& each : from.lane.packets) of->bytes += each.bytes;
  of->discarded += from.discarded;
  of->from = std::max(of->from, from.known_from);
  of->damaged |= from.damaged;
  of->ended &= !from.prepared;
}

void set_times_of_ranks(run_outline& of) {
  for (outlined_rank& rank : of.ranks) {
    rank.from = std::max<std::int64_t>(rank.from - of.origin, 0);
    if (rank.lost_from) *rank.lost_from = std::max<std::int64_t>(*rank.lost_from - of.origin, 0);
    bool any = false;
    for (const outlined_lane& lane : of.lanes) {
      if (lane.rank != rank.rank || lane.packets.empty()) continue;
      const std::int64_t begin = lane.packets.front().begin;
      rank.first = any ? std::min(rank.first, begin) : begin;
      rank.last = std::max(rank.last, std::min(lane.packets.back().end, of.end));
      any = true;
    }
  }
}

void say_what_is_missing(run_outline& of) {
  std::int64_t from = 0;
  for (const outlined_rank& each : of.ranks) from = std::max(from, each.from);
  if (from != 0) of.incomplete.push_back(say_given_up(from));
  // Elsewhere the events tell.
  const bool all_ran = std::ranges::any_of(of.ranks, [](const outlined_rank& each) {
    return each.from != 0 || each.environment.contains("slice_from") ||
           each.environment.contains("slice_left_open");
  });
  for (const outlined_rank& each : of.ranks) {
    const std::string who = "rank " + std::to_string(each.rank);
    if (!each.present)
      of.incomplete.push_back(
          "no trace from " + who +
          (all_ran ? absent_files : ": it had not begun, or its files are not here"));
    if (each.has_gaps) of.incomplete.push_back(who + slice_of_gaps);
    if (each.damaged) of.incomplete.push_back(who + ": a file is cut off or damaged");
    if (const std::string lost = say_losses(each.discarded, each.lost_from); !lost.empty())
      of.incomplete.push_back(who + ": " + lost);
  }
}

/// The codelets that one file of definitions names.
std::vector<outlined_codelet> codelets_in(const rank_layout& layout,
                                          std::span<const std::byte> file) {
  const record_layout& described = layout.known[static_cast<std::size_t>(record::codelet)];
  const auto text = [&](const std::byte* payload, field of) -> std::string {
    const field_place& where = described.places[static_cast<std::size_t>(of)];
    if (where.offset < 0 || where.bytes != 0) return {};
    return reinterpret_cast<const char*>(place_of(described, payload, where));
  };
  const field_place& line = described.places[static_cast<std::size_t>(field::line)];
  stream_content read;
  std::uint64_t stamp = 0;
  if (!first_stamp(layout, file, stamp)) return {};
  read_packets(layout, stamp_scale(layout.metadata, stamp), 0, file, 0, {}, read);
  std::vector<outlined_codelet> found;
  for (const stored_event& each : read.events) {
    if (each.what() != record::codelet) continue;
    const std::byte* const payload = file.data() + each.offset;
    const std::uint64_t number = line.offset < 0 || line.bytes == 0
                                     ? 0
                                     : number_at(place_of(described, payload, line), line);
    found.push_back(
        {text(payload, field::name), text(payload, field::file) + ":" + std::to_string(number)});
  }
  return found;
}

}  // namespace

run_outline outline_of(const std::string& path) {
  run_outline found;
  std::vector<outlined_stream> streams = streams_of(path, found);
  in_parallel(streams.size(), [&](std::size_t s) { read_stream(streams[s]); });
  found.path = path;
  for (outlined_stream& each : streams) {
    found.bytes += each.bytes;
    found.packed |= each.packed;
    add_to_rank(each, found.ranks);
    found.lanes.push_back(std::move(each.lane));
  }
  set_origin(found);  // Of a ring, the definitions alone say when it began.
  set_times_of_ranks(found);
  std::erase_if(found.lanes, [](const outlined_lane& each) { return each.name == definitions; });
  say_what_is_missing(found);
  return found;
}

std::vector<outlined_codelet> outlined_codelets(const std::string& path) {
  std::vector<outlined_codelet> each_once;
  for (const auto& [rank, folder] : rank_folders(path)) {
    try {
      const rank_layout layout(parse_metadata(metadata_text(folder)), rank);
      const segments all = segments_of(folder, layout.metadata.environment);
      const auto mine = all.find(definitions);
      if (mine == all.end()) continue;
      for (const auto& [number, file] : mine->second)
        for (outlined_codelet& found : codelets_in(layout, mapped_file(file).bytes()))
          if (std::ranges::find(each_once, found.name, &outlined_codelet::name) == each_once.end())
            each_once.push_back(std::move(found));
    } catch (const unreadable&) {  // It is told of the rank.
    }
  }
  return each_once;
}

}  // namespace deed::viewer
