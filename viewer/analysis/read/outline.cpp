// SPDX-License-Identifier: MIT
#include "analysis/read/outline.hpp"

#include "analysis/read/merge.hpp"
#include "analysis/read/packets.hpp"
#include "analysis/read/rank_folder.hpp"
#include "analysis/read/unpacked.hpp"

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

struct outlined_stream {
  std::shared_ptr<const rank_layout> layout;
  std::vector<std::string> files;
  outlined_lane lane;
  std::uint64_t bytes = 0;
  bool packed = false;
};

/// Reads, and does not map: a fault of a page costs more than the few bytes that are wanted of it.
/// Prepared packets, which hold no event yet, are left out: their stamp is years away.
void read_heads(outlined_stream& of, const std::string& path) {
  constexpr std::size_t most_head = 512;
  std::ifstream file;
  file.rdbuf()->pubsetbuf(nullptr, 0);
  file.open(path, std::ios::binary);
  const rank_layout& layout = *of.layout;
  std::array<std::byte, most_head> bytes{};
  std::uint64_t lost = 0;
  packet_head head;
  for (std::uint64_t start = 0;; start += head.packet_bits / 8) {
    file.seekg(static_cast<std::streamoff>(start));
    file.read(reinterpret_cast<char*>(bytes.data()), most_head);
    const auto there = static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount()));
    file.clear();
    std::size_t behind = 0;
    const char* why = nullptr;
    if (!read_head(layout, std::span(bytes).first(there), behind, head, why)) return;
    of.lane.kind = static_cast<std::uint32_t>(head.kind);
    const std::uint64_t content = head.content_bits / 8;
    if (content <= behind || head.begin > head.end) continue;
    of.lane.packets.push_back({stamp_scale::exact(layout.metadata, head.begin),
                               stamp_scale::exact(layout.metadata, head.end), content - behind,
                               head.discarded > lost});
    lost = std::max(lost, head.discarded);
  }
}

void read_stream(outlined_stream& of) {
  for (const std::string& each : of.files) {
    std::error_code gone;
    const std::uintmax_t size = std::filesystem::file_size(each, gone);
    of.bytes += gone ? 0 : size;
    if (is_packed(each))
      of.packed = true;
    else
      read_heads(of, each);
  }
}

std::vector<outlined_stream> streams_of(const std::string& path, bool& simulated) {
  std::vector<outlined_stream> streams;
  std::string wrong;
  bool any = false;
  for (const auto& [rank, folder] : rank_folders(path)) {
    try {
      const auto layout =
          std::make_shared<const rank_layout>(parse_metadata(metadata_text(folder)), rank);
      any = true;
      const auto& environment = layout->metadata.environment;
      const auto clock = environment.find("clock_kind");
      simulated |= clock != environment.end() && clock->second == "virtual";
      for (const auto& [stem, files] : segments_of(folder, environment)) {
        if (stem == "defs") continue;
        outlined_stream& each = streams.emplace_back();
        each.layout = layout;
        each.lane.rank = rank;
        each.lane.name = stem;
        for (const auto& [number, file] : files) each.files.push_back(file);
      }
    } catch (const unreadable& damaged) {
      wrong = damaged.what();
    }
  }
  if (!any) throw unreadable("`" + path + "`: " + wrong);
  return streams;
}

/// Times count from the first packet; what is a hundred days from the middle one is damage.
void set_origin(run_outline& of, bool simulated) {
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
  if (simulated) origin = 0;
  for (outlined_lane& lane : of.lanes)
    for (outlined_packet& each : lane.packets) {
      each.begin -= origin;
      each.end -= origin;
      of.end = std::max(of.end, each.end);
    }
}

}  // namespace

run_outline outline_of(const std::string& path) {
  bool simulated = false;
  std::vector<outlined_stream> streams = streams_of(path, simulated);
  in_parallel(streams.size(), [&](std::size_t s) { read_stream(streams[s]); });
  run_outline found;
  found.path = path;
  for (outlined_stream& each : streams) {
    found.bytes += each.bytes;
    found.packed |= each.packed;
    found.lanes.push_back(std::move(each.lane));
  }
  set_origin(found, simulated);
  return found;
}

}  // namespace deed::viewer
