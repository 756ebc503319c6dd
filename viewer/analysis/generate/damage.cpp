// SPDX-License-Identifier: MIT
#include "analysis/edit/packet_edit.hpp"
#include "analysis/generate/simulation.hpp"
#include "analysis/read/mapped_file.hpp"
#include "analysis/read/metadata.hpp"
#include "analysis/read/packets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

// What happens to a run on its disk: ranks that are lost, files that end early, bits that flip. And
// clocks that disagree, which is a number in their metadata.

namespace deed::viewer {
namespace {

namespace files = std::filesystem;

std::string folder_of_rank(int rank) {
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "rank-%06d", rank);
  return name.data();
}

std::string text_of(const files::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const files::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

rank_layout layout_beside(const files::path& file) {
  return rank_layout(parse_metadata(text_of(file.parent_path() / "metadata")), 0);
}

/// Where the events of a file begin.
std::vector<std::size_t> starts_of_events(const rank_layout& layout, const files::path& file) {
  const mapped_file mapped(file.string());
  stream_content content;
  read_packets(layout, stamp_scale(layout.metadata, 0), 0, mapped.bytes(), 0, "", content);
  std::vector<std::size_t> starts;
  for (const stored_event& each : content.events)
    starts.push_back(each.offset - layout.event_header_bytes);
  return starts;
}

/// Calls `work` with the bytes of each packet of a file, with where it begins and with its header.
template <class Work>
void for_each_packet(const rank_layout& layout, const files::path& file, Work&& work) {
  std::string text = text_of(file);
  const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(text.data()), text.size());
  packet_head head;
  std::size_t behind = 0;
  const char* why = nullptr;
  for (std::size_t at = 0; at < bytes.size(); at += head.packet_bits / 8) {
    if (!read_head(layout, bytes.subspan(at), behind, head, why)) break;
    work(bytes.subspan(at, std::min<std::size_t>(head.packet_bits / 8, bytes.size() - at)), at,
         head);
  }
  write(file, text);
}

/// The events of a packet from the one at `byte` on are lost, and counted, also by what follows;
/// the first of a packet stays, and `byte` is then that of the next. Returns how many; `starts` are
/// those of the file's events.
std::int64_t lose_from(const rank_layout& layout, const files::path& file,
                       const std::vector<std::size_t>& starts, std::size_t& byte) {
  std::uint64_t lost = 0;
  for_each_packet(layout, file, [&](auto packet, std::size_t at, const packet_head& head) {
    const std::size_t end = at + head.content_bits / 8;
    if (at < byte && byte < end) {
      const auto here = std::ranges::lower_bound(starts, at);
      const auto first = std::max(std::next(here), std::ranges::lower_bound(starts, byte));
      lost = static_cast<std::uint64_t>(std::ranges::lower_bound(starts, end) - first);
      if (lost == 0) return;
      byte = *first;
      std::uint64_t last = head.begin;
      packet_stamps stamps(layout, head);
      for (auto event = here; event != first; ++event)
        last = stamps.next(packet.data() + (*event - at));
      store(layout, head.stream_id, packet, head_field::content_bits, 8 * (byte - at));
      store(layout, head.stream_id, packet, head_field::end, last);
    }
    if (lost != 0)
      store(layout, head.stream_id, packet, head_field::discarded, head.discarded + lost);
  });
  const auto next = [](const files::path& of, int number) {
    std::array<char, 16> suffix{};
    std::snprintf(suffix.data(), suffix.size(), ".%03d", number);
    return files::path(of).replace_extension(suffix.data());
  };
  for (int number = 1; files::exists(next(file, number)); ++number)
    for_each_packet(layout, next(file, number), [&](auto packet, auto, const packet_head& head) {
      store(layout, head.stream_id, packet, head_field::discarded, head.discarded + lost);
    });
  return static_cast<std::int64_t>(lost);
}

/// The highest bit of the number of the event at `byte`: no record has such a number.
void flip(const files::path& file, std::size_t byte) {
  std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
  const auto at = static_cast<std::streamoff>(byte);
  bytes.seekg(at);
  const int number = bytes.get();
  bytes.seekp(at);
  bytes.put(static_cast<char>(number ^ 0x80));
}

void replace(std::string& text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), by);
}

/// A clock that says `ahead` nanoseconds more than it should, and `faster` more after each second
/// that it counts.
struct made_clock {
  std::int64_t ahead = 0;
  std::int64_t faster = 0;
};

/// A rank's clock becomes that of a machine of its own.
void set_clock(const files::path& metadata, const made_clock& wrong, int machine) {
  std::string text = text_of(metadata);
  replace(text, "clock_kind = \"virtual\"", "clock_kind = \"monotonic\"");
  replace(text, "boot_id = \"", "boot_id = \"" + std::to_string(machine) + "-");
  const std::int64_t offset = parse_metadata(text).offset_stamps;
  replace(text, "offset = " + std::to_string(offset) + ";",
          "offset = " + std::to_string(offset + wrong.ahead) + ";");
  constexpr std::int64_t hertz = 1'000'000'000;  // Of the virtual clock.
  replace(text, "freq = " + std::to_string(hertz) + ";",
          "freq = " + std::to_string(hertz - wrong.faster) + ";");
  write(metadata, text);
}

}  // namespace

/// Rank 0 is the measure, and stays; one fault for a clock.
void simulation::set_clocks() {
  std::vector<int> right;
  for (int rank = 1; rank < options_.ranks; ++rank) right.push_back(rank);
  std::vector<made_clock> clocks(static_cast<std::size_t>(options_.ranks));
  const auto spoil = [&](const char* fault, std::int64_t made_clock::* what, std::uint64_t least,
                         std::uint64_t range) {
    while (wants(fault) && !right.empty()) {
      const auto chosen = right.begin() + static_cast<std::ptrdiff_t>(draw_.below(right.size()));
      const auto drawn = static_cast<std::int64_t>(least + draw_.below(range));
      const auto by = static_cast<std::int64_t>(amount_of(fault, static_cast<double>(drawn)));
      clocks[static_cast<std::size_t>(*chosen)].*what = by;
      struck(fault, trace::nothing, 0, *chosen, -1, by);
      right.erase(chosen);
    }
  };
  if (!wants("skew") && !wants("drift")) return;
  spoil("skew", &made_clock::ahead, 500'000, 5'000'000);
  spoil("drift", &made_clock::faster, 300'000, 600'000);
  for (int rank = 0; rank < options_.ranks; ++rank)
    set_clock(files::path(options_.path) / folder_of_rank(rank) / "metadata",
              clocks[static_cast<std::size_t>(rank)], rank);
}

/// As the runtime does where clocks are of machines: each rank asks the one above it in a tree, and
/// records what is faster than before. It has a source of its own: other faults stay where they
/// are.
void simulation::compare_clocks(std::int64_t at) {
  if (options_.inject.count("skew") + options_.inject.count("drift") == 0) return;
  random_source draw(mix(options_.seed, 78 + comparisons_));
  for (int rank = 1; rank < options_.ranks; ++rank)
    for (const std::uint64_t at_least : {9'000u, 4'000u, 2'000u}) {
      const std::uint64_t trip = at_least + draw.below(1'000);
      const auto shown = static_cast<std::uint64_t>(at) - draw.below(trip);
      log_.add(at, rank, event_log::application, record::clock_sync,
               {static_cast<std::uint64_t>((rank - 1) / 2), shown, trip, comparisons_});
    }
  ++comparisons_;
}

void simulation::damage() {
  set_clocks();
  std::vector<int> present;
  for (int rank = 0; rank < options_.ranks; ++rank) present.push_back(rank);
  lose_ranks(present);
  // Names, places and codelets stay: without them no answer says which event is meant.
  std::vector<std::pair<int, std::string>> whole;
  for (const int rank : present) {
    whole.emplace_back(rank, "app.000");
    whole.emplace_back(rank, "comm.000");
    whole.emplace_back(rank, "w00.000");
  }
  for (const char* const fault : {"cut", "bitflip", "drop"})
    while (wants(fault) && !whole.empty()) {
      const auto chosen = whole.begin() + static_cast<std::ptrdiff_t>(draw_.below(whole.size()));
      const auto [rank, name] = *chosen;
      whole.erase(chosen);  // One fault for a file keeps causes apart.
      damage_file(fault, rank, name);
    }
}

/// One stays: without any there is no run.
void simulation::lose_ranks(std::vector<int>& present) {
  while (wants("missing_rank") && present.size() > 1) {
    const auto lost = present.begin() + static_cast<std::ptrdiff_t>(draw_.below(present.size()));
    files::remove_all(files::path(options_.path) / folder_of_rank(*lost));
    struck("missing_rank", trace::nothing, 0, *lost, -1, 0);
    present.erase(lost);
  }
}

double simulation::amount_of(const std::string& fault, double drawn) const {
  const auto asked = options_.amounts.find(fault);
  return asked != options_.amounts.end() ? asked->second : drawn;
}

/// The event in which a file of so many ends, or from which on it loses them.
std::size_t simulation::event_at(const std::string& fault, std::size_t count) const {
  const double share = options_.amounts.at(fault), kept = fault == "cut" ? share : 1 - share;
  return std::clamp<std::size_t>(
      static_cast<std::size_t>(std::llround(kept * static_cast<double>(count))), 1, count - 1);
}

void simulation::damage_file(const char* fault, int rank, const std::string& name) {
  const std::string shown = folder_of_rank(rank) + "/" + name;
  const files::path file = files::path(options_.path) / shown;
  const rank_layout layout = layout_beside(file);
  const auto starts = starts_of_events(layout, file);
  if (starts.size() < 2) return;
  std::size_t chosen = 1 + draw_.below(starts.size() - 1);  // The first says when it began.
  if (options_.amounts.contains(fault)) chosen = event_at(fault, starts.size());
  std::size_t byte = starts[chosen];
  std::int64_t lost = 0;
  if (std::string_view(fault) == "drop") {
    lost = lose_from(layout, file, starts, byte);
    if (lost == 0) return;
  } else if (std::string_view(fault) == "cut") {
    byte += 1 + draw_.below(layout.event_header_bytes);
    files::resize_file(file, byte);
  } else {
    flip(file, byte);
  }
  struck(fault, trace::nothing, 0, rank, -1, lost);
  truth_.faults.back().file = shown;
  truth_.faults.back().byte = byte;
}

}  // namespace deed::viewer
