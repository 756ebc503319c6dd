// SPDX-License-Identifier: MIT
#include "analysis/read/run.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace deed::viewer {
namespace {

constexpr std::uint32_t ctf_magic = 0xc1fc1fc1;
// A hundred days: what is later is damage, and sums over workers must not overflow.
constexpr std::int64_t longest_run = 8'640'000'000'000'000;
constexpr std::uint64_t largest_packet = std::uint64_t{512} << 20;

std::uint64_t load(const std::byte* from, std::size_t bytes) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::uint64_t to_number(const std::string& text) {
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') break;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

std::string at(const std::map<std::string, std::string>& table, const char* key) {
  const auto found = table.find(key);
  return found == table.end() ? std::string{} : found->second;
}

/// Names of the packet header's and context's fields -> values.
struct packet_fields {
  std::uint64_t magic = 0, stream_id = 0, packet_bits = 0, content_bits = 0, begin = 0, end = 0,
                discarded = 0, kind = 0, index = 0;
  std::size_t bytes = 0;
};

/// Reads `fields` at `position`; false if the bytes do not reach so far.
bool read_fields(const structure& fields, std::span<const std::byte> bytes, std::size_t& position,
                 packet_fields& into) {
  for (const field_layout& each : fields) {
    const std::size_t align = each.align / 8u;
    position = (position + align - 1) / align * align;
    const std::size_t size = each.bits / 8u;
    if (size == 0 || position + size > bytes.size()) return false;
    const std::uint64_t value = load(bytes.data() + position, size);
    position += size;
    if (each.name == "magic") into.magic = value;
    if (each.name == "stream_id") into.stream_id = value;
    if (each.name == "packet_size") into.packet_bits = value;
    if (each.name == "content_size") into.content_bits = value;
    if (each.name == "timestamp_begin") into.begin = value;
    if (each.name == "timestamp_end") into.end = value;
    if (each.name == "events_discarded") into.discarded = value;
    if (each.name == "context_kind") into.kind = value;
    if (each.name == "context_index") into.index = value;
  }
  return true;
}

}  // namespace

struct run::mapped {
  explicit mapped(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat about{};
    if (::fstat(file, &about) == 0 && about.st_size > 0) {
      void* const address =
          ::mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
      if (address != MAP_FAILED)
        bytes = {static_cast<const std::byte*>(address), static_cast<std::size_t>(about.st_size)};
    }
    ::close(file);
  }
  ~mapped() {
    if (!bytes.empty()) ::munmap(const_cast<std::byte*>(bytes.data()), bytes.size());
  }
  mapped(const mapped&) = delete;
  mapped& operator=(const mapped&) = delete;

  std::span<const std::byte> bytes;
};

struct run::rank_layout {
  trace_layout metadata;
  int rank = 0;
  std::map<std::uint64_t, std::array<record, 256>> records;  // By stream and event number.
  std::map<std::uint64_t, std::array<std::optional<record_layout>, 256>> layouts;
  std::array<record_layout, record_count> known;
  std::uint64_t unknown = 0;
  std::uint64_t backwards = 0;

  [[nodiscard]] std::int64_t nanoseconds(std::uint64_t stamp) const {
    __extension__ using wide = __int128;
    constexpr std::int64_t billion = 1'000'000'000;
    const wide sum = (static_cast<wide>(stamp) + metadata.offset_stamps) * billion /
                     static_cast<wide>(metadata.hertz);
    constexpr wide limit = std::numeric_limits<std::int64_t>::max() / 2;
    return static_cast<std::int64_t>(std::clamp<wide>(
        sum + static_cast<wide>(metadata.offset_seconds) * billion, -limit, limit));
  }

  void prepare();
};

void run::rank_layout::prepare() {
  for (const auto& [id, stream] : metadata.streams) {
    auto& names = records[id];
    auto& places = layouts[id];
    names.fill(record::unknown);
    for (const auto& [number, described] : stream.events) {
      if (number > 255) continue;
      record_layout layout;
      std::size_t offset = 0;
      for (const field_layout& each : described.payload) {
        const place here{static_cast<std::int16_t>(offset),
                         static_cast<std::uint8_t>(each.bits / 8), each.is_signed, layout.texts};
        const auto name = std::find(field_names.begin(), field_names.end(), each.name);
        if (name != field_names.end()) {
          const auto index = static_cast<std::size_t>(name - field_names.begin());
          layout.places[index] = here;
          layout.order.push_back(static_cast<field>(index));
        }
        layout.fixed_bytes += each.bits / 8u;
        offset = each.bits == 0 ? 0 : offset + each.bits / 8u;
        if (each.bits == 0) ++layout.texts;
      }
      places[number] = layout;
      const auto name = std::find(record_names.begin(), record_names.end(), described.name);
      if (name == record_names.end()) continue;
      const auto index = static_cast<std::size_t>(name - record_names.begin());
      if (!known[index].order.empty()) continue;  // Two of one name: the first is the one.
      names[number] = static_cast<record>(index);
      known[index] = std::move(layout);
    }
  }
}

run::~run() = default;
run::run(run&&) noexcept = default;
run& run::operator=(run&&) noexcept = default;

run::run(const std::string& path) : path_(path) {
  std::vector<std::pair<int, std::string>> folders;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(path, failed)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("rank-") && entry.is_directory())
      folders.emplace_back(static_cast<int>(to_number(name.substr(5))), entry.path().string());
  }
  if (failed) throw unreadable("`" + path + "` cannot be opened: " + failed.message());
  if (folders.empty()) throw unreadable("`" + path + "` is no run: it has no folder rank-000000");
  std::sort(folders.begin(), folders.end());

  std::string run_id;
  std::uint64_t size = 0;
  for (const auto& [rank, folder] : folders) {
    try {
      open_rank(folder, rank);
      const auto& environment = layouts_.back()->metadata.environment;
      if (run_id.empty()) run_id = at(environment, "run_id");
      if (run_id != at(environment, "run_id"))
        incomplete_.push_back("rank " + std::to_string(rank) + " is of another run");
      size = std::max(size, to_number(at(environment, "size")));
    } catch (const unreadable& wrong) {
      incomplete_.push_back("rank " + std::to_string(rank) + ": " + wrong.what());
    }
  }
  if (layouts_.empty()) throw unreadable("`" + path + "`: " + incomplete_.front());
  constexpr std::uint64_t most_ranks = 1 << 20;
  std::set<int> present;
  for (const rank_info& each : ranks_) present.insert(each.rank);
  for (int rank = 0; rank < static_cast<int>(std::min(size, most_ranks)); ++rank) {
    if (present.contains(rank)) continue;
    incomplete_.push_back("no trace from rank " + std::to_string(rank));
    rank_info absent;
    absent.rank = rank;
    ranks_.push_back(absent);
  }
  std::sort(ranks_.begin(), ranks_.end(),
            [](const auto& a, const auto& b) { return a.rank < b.rank; });
  merge(std::exchange(streams_, {}));
}

void run::open_rank(const std::string& folder, int rank) {
  auto layout = std::make_unique<rank_layout>();
  const std::string text = file_text(folder + "/metadata");
  if (text.empty()) throw unreadable("it has no metadata");
  layout->metadata = parse_metadata(text);
  layout->rank = rank;
  layout->prepare();

  const auto& environment = layout->metadata.environment;
  rank_info info{.rank = rank,
                 .present = true,
                 .host = at(environment, "hostname"),
                 .clock_kind = at(environment, "clock_kind"),
                 .command = at(environment, "argv"),
                 .pid = to_number(at(environment, "pid"))};
  std::map<std::string, std::vector<std::pair<std::uint64_t, std::string>>> segments;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const std::size_t dot = name.rfind('.');
    if (name.starts_with('.') || dot == std::string::npos) continue;
    segments[name.substr(0, dot)].emplace_back(to_number(name.substr(dot + 1)),
                                               entry.path().string());
  }
  const std::size_t first_stream = streams_.size();
  layouts_.push_back(std::move(layout));
  info.ended = true;
  for (auto& [stem, files] : segments) {
    std::sort(files.begin(), files.end());
    lanes_.push_back({.rank = rank, .name = stem});
    layout_of_lane_.push_back(static_cast<std::uint32_t>(layouts_.size() - 1));
    streams_.emplace_back();
    for (const auto& [number, file] : files) open_file(file, *layouts_.back(), streams_);
    lane& opened = lanes_.back();
    opened.events = streams_.back().size();
    info.events += opened.events;
    info.discarded += opened.discarded;
    // A recorder that was closed has cut off what it prepared.
    const auto& last = files_.back()->bytes;
    std::size_t position = 0;
    packet_fields head;
    const auto& metadata = layouts_.back()->metadata;
    const auto& context = metadata.streams.begin()->second.packet_context;
    if (read_fields(metadata.packet_header, last, position, head) &&
        read_fields(context, last, position, head) && head.packet_bits / 8 <= last.size()) {
      packet_fields tail;
      const auto final_packet = last.subspan(last.size() - head.packet_bits / 8);
      position = 0;
      constexpr std::uint64_t years = 100'000'000;
      if (read_fields(metadata.packet_header, final_packet, position, tail) &&
          read_fields(context, final_packet, position, tail) && opened.events > 0 &&
          tail.begin == tail.end && tail.end > head.begin &&
          (tail.end - head.begin) / metadata.hertz > years)
        info.ended = false;
    }
  }
  info.first = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = first_stream; i < streams_.size(); ++i) {
    if (streams_[i].empty()) continue;
    info.first = std::min(info.first, streams_[i].front().time);
    info.last = std::max(info.last, streams_[i].back().time);
  }
  if (info.events == 0) info.first = 0;
  const rank_layout& read = *layouts_.back();
  const std::string who = "rank " + std::to_string(rank) + ": ";
  if (read.unknown != 0)
    incomplete_.push_back(who + std::to_string(read.unknown) +
                          " events of unknown kinds were skipped");
  if (read.backwards != 0)
    incomplete_.push_back(who + "the clock went back " + std::to_string(read.backwards) + " times");
  if (info.discarded != 0)
    incomplete_.push_back(who + std::to_string(info.discarded) + " events found no packet");
  ranks_.push_back(std::move(info));
}

void run::open_file(const std::string& file, rank_layout& layout,
                    std::vector<std::vector<event>>& sorted) {
  files_.push_back(std::make_unique<mapped>(file));
  const auto all = files_.back()->bytes;
  const std::string name = "rank " + std::to_string(layout.rank) + ", " +
                           std::filesystem::path(file).filename().string() + ": ";
  std::vector<event>& into = sorted.back();
  lane& mine = lanes_.back();
  const auto lane_number = static_cast<std::uint32_t>(lanes_.size() - 1);

  for (std::size_t start = 0; start < all.size();) {
    const auto rest = all.subspan(start);
    packet_fields head;
    std::size_t position = 0;
    if (!read_fields(layout.metadata.packet_header, rest, position, head) ||
        head.magic != ctf_magic || !layout.metadata.streams.contains(head.stream_id)) {
      incomplete_.push_back(name + "no packet at byte " + std::to_string(start) +
                            "; the rest is left out");
      return;
    }
    const stream_layout& stream = layout.metadata.streams.at(head.stream_id);
    if (!read_fields(stream.packet_context, rest, position, head) || head.packet_bits == 0 ||
        head.packet_bits % 8 != 0 || head.packet_bits / 8 > largest_packet ||
        head.content_bits > head.packet_bits) {
      incomplete_.push_back(name + "damaged packet at byte " + std::to_string(start) +
                            "; the rest is left out");
      return;
    }
    mine.kind = static_cast<std::uint32_t>(head.kind);
    mine.index = static_cast<std::uint32_t>(head.index);
    mine.discarded = std::max(mine.discarded, head.discarded);
    const std::size_t content = std::min<std::uint64_t>(head.content_bits / 8, rest.size());
    if (head.packet_bits / 8 > rest.size())
      incomplete_.push_back(name + "cut off inside a packet; every whole event is read");

    const auto& names = layout.records.at(head.stream_id);
    const auto& layouts = layout.layouts.at(head.stream_id);
    constexpr std::size_t header_bytes = 9;
    while (position + header_bytes <= content) {
      const auto id = static_cast<std::size_t>(rest[position]);
      const std::uint64_t stamp = load(rest.data() + position + 1, 8);
      position += header_bytes;
      if (stamp < head.begin || stamp > head.end) {
        incomplete_.push_back(name + "an event outside its packet's time at byte " +
                              std::to_string(start + position) + "; its packet ends there");
        break;
      }
      const auto& known = layouts[id];
      if (!known) {
        incomplete_.push_back(name + "an event of no known number at byte " +
                              std::to_string(start + position) + "; its packet ends there");
        break;
      }
      std::size_t size = known->fixed_bytes;
      if (known->texts != 0) {
        // Texts end with a zero byte; integers between them have known sizes.
        std::size_t end = position;
        bool whole = true;
        std::size_t number = 0;
        const auto& payload = stream.events.at(id).payload;
        for (; number < payload.size() && whole; ++number) {
          if (payload[number].bits != 0) {
            end += payload[number].bits / 8u;
          } else {
            while (end < content && rest[end] != std::byte{0}) ++end;
            whole = end < content;
            ++end;
          }
        }
        size = whole ? end - position : content;
      }
      if (position + size > content) break;
      const record what = names[id];
      if (what == record::unknown) ++layout.unknown;
      event read{layout.nanoseconds(stamp), rest.data() + position, lane_number, what};
      if (!into.empty() && read.time < into.back().time) {
        ++layout.backwards;
        read.time = into.back().time;
      }
      if (what != record::unknown) into.push_back(read);
      position += size;
    }
    start += head.packet_bits / 8;
  }
}

void run::merge(std::vector<std::vector<event>> sorted) {
  const bool simulated =
      ranks_.empty() || std::any_of(ranks_.begin(), ranks_.end(),
                                    [](const auto& r) { return r.clock_kind == "virtual"; });
  const auto earlier = [](const event& a, const event& b) { return a.time < b.time; };
  if (sorted.empty()) return;
  while (sorted.size() > 1) {  // Neighbours, so that equal times keep the order of ranks.
    std::vector<std::vector<event>> merged;
    for (std::size_t i = 0; i + 1 < sorted.size(); i += 2) {
      std::vector<event> both(sorted[i].size() + sorted[i + 1].size());
      std::merge(sorted[i].begin(), sorted[i].end(), sorted[i + 1].begin(), sorted[i + 1].end(),
                 both.begin(), earlier);
      std::vector<event>().swap(sorted[i]);
      std::vector<event>().swap(sorted[i + 1]);
      merged.push_back(std::move(both));
    }
    if (sorted.size() % 2 != 0) merged.push_back(std::move(sorted.back()));
    sorted = std::move(merged);
  }
  events_ = std::move(sorted.front());
  if (events_.empty()) return;
  const std::int64_t origin = simulated ? 0 : events_.front().time;  // A virtual clock starts at 0.
  std::uint64_t wild = 0;
  for (event& each : events_) {
    if (each.time < origin || each.time - origin > longest_run) {
      ++wild;
      each.time = each.time < origin ? origin : origin + longest_run;
    }
    each.time -= origin;
  }
  if (wild != 0) incomplete_.push_back(std::to_string(wild) + " events have an impossible time");
  for (rank_info& each : ranks_) {
    if (each.events == 0) continue;
    each.first = std::clamp<std::int64_t>(each.first, origin, origin + longest_run) - origin;
    each.last = std::clamp<std::int64_t>(each.last, origin, origin + longest_run) - origin;
  }
}

const std::byte* run::find(const event& e, const place& where) const {
  const std::byte* from = e.payload;
  if (where.texts_before == 0) return from + where.offset;
  const rank_layout& layout = *layouts_[layout_of_lane_[e.lane]];
  std::size_t texts = 0;
  for (const field each : layout.known[static_cast<std::size_t>(e.what)].order) {
    const place& known =
        layout.known[static_cast<std::size_t>(e.what)].places[static_cast<std::size_t>(each)];
    if (texts == where.texts_before) break;
    if (known.bytes != 0) {
      from += known.bytes;
    } else {
      from += std::strlen(reinterpret_cast<const char*>(from)) + 1;
      ++texts;
    }
  }
  return from + where.offset;
}

std::uint64_t run::get(const event& e, field f, std::uint64_t otherwise) const {
  const rank_layout& layout = *layouts_[layout_of_lane_[e.lane]];
  const place& where =
      layout.known[static_cast<std::size_t>(e.what)].places[static_cast<std::size_t>(f)];
  if (where.offset < 0 || where.bytes == 0) return otherwise;
  const std::uint64_t raw = load(find(e, where), where.bytes);
  if (!where.is_signed || where.bytes == 8) return raw;
  const int unused = 64 - 8 * where.bytes;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(raw << unused) >> unused);
}

std::string_view run::text(const event& e, field f) const {
  const rank_layout& layout = *layouts_[layout_of_lane_[e.lane]];
  const place& where =
      layout.known[static_cast<std::size_t>(e.what)].places[static_cast<std::size_t>(f)];
  if (where.offset < 0 || where.bytes != 0) return {};
  return reinterpret_cast<const char*>(find(e, where));
}

std::vector<field> run::fields(const event& e) const {
  return layouts_[layout_of_lane_[e.lane]]->known[static_cast<std::size_t>(e.what)].order;
}

}  // namespace deed::viewer
