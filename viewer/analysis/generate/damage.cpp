// SPDX-License-Identifier: MIT
#include "analysis/generate/simulation.hpp"
#include "analysis/read/mapped_file.hpp"
#include "analysis/read/metadata.hpp"
#include "analysis/read/packets.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
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

/// Where the events of a file begin.
std::vector<std::size_t> starts_of_events(const files::path& file) {
  std::ifstream text(file.parent_path() / "metadata", std::ios::binary);
  const rank_layout layout(parse_metadata(std::string(std::istreambuf_iterator<char>(text), {})),
                           0);
  const mapped_file mapped(file.string());
  stream_content content;
  read_packets(layout, stamp_scale(layout.metadata, 0), 0, mapped.bytes(), 0, "", content);
  std::vector<std::size_t> starts;
  for (const stored_event& each : content.events)
    starts.push_back(each.offset - event_header_bytes);
  return starts;
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

/// A rank's clock becomes one of its machine, and says `ahead` nanoseconds more than the others'.
void set_clock(const files::path& metadata, std::int64_t ahead) {
  std::ifstream in(metadata, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  in.close();
  replace(text, "clock_kind = \"virtual\"", "clock_kind = \"monotonic\"");
  const std::int64_t offset = parse_metadata(text).offset_stamps;
  replace(text, "offset = " + std::to_string(offset) + ";",
          "offset = " + std::to_string(offset + ahead) + ";");
  std::ofstream(metadata, std::ios::binary) << text;
}

}  // namespace

/// Rank 0 is the measure, and stays.
void simulation::skew_clocks() {
  if (!wants("skew") || options_.ranks < 2) return;
  std::vector<int> right;
  for (int rank = 1; rank < options_.ranks; ++rank) right.push_back(rank);
  std::vector<std::int64_t> ahead(static_cast<std::size_t>(options_.ranks));
  while (wants("skew") && !right.empty()) {
    const auto chosen = right.begin() + static_cast<std::ptrdiff_t>(draw_.below(right.size()));
    const auto by = static_cast<std::int64_t>(500'000 + draw_.below(5'000'000));
    ahead[static_cast<std::size_t>(*chosen)] = by;
    struck("skew", trace::nothing, 0, *chosen, -1, by);
    right.erase(chosen);
  }
  for (int rank = 0; rank < options_.ranks; ++rank)
    set_clock(files::path(options_.path) / folder_of_rank(rank) / "metadata",
              ahead[static_cast<std::size_t>(rank)]);
}

void simulation::damage() {
  skew_clocks();
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
  for (const char* const fault : {"cut", "bitflip"})
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

void simulation::damage_file(const char* fault, int rank, const std::string& name) {
  const std::string shown = folder_of_rank(rank) + "/" + name;
  const files::path file = files::path(options_.path) / shown;
  const auto starts = starts_of_events(file);
  if (starts.size() < 2) return;
  std::size_t byte = starts[1 + draw_.below(starts.size() - 1)];  // The first says when it began.
  if (std::string_view(fault) == "cut") {
    byte += 1 + draw_.below(event_header_bytes);
    files::resize_file(file, byte);
  } else {
    flip(file, byte);
  }
  struck(fault, trace::nothing, 0, rank, -1, 0);
  truth_.faults.back().file = shown;
  truth_.faults.back().byte = byte;
}

}  // namespace deed::viewer
