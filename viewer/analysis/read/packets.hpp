// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/event_list.hpp"
#include "analysis/read/metadata.hpp"
#include "analysis/read/records.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

/// @file
/// From the packets of a file to its events. What the metadata says is turned into tables once, so
/// that an event costs a look at its number, its stamp and its size.

namespace deed::viewer {

/// What is later is damage, and sums over workers must not overflow.
inline constexpr std::int64_t hundred_days = 8'640'000'000'000'000;
/// Later than this after `base` is damage.
inline constexpr std::int64_t latest_time = 2 * hundred_days;

/// Where a field of a record lies.
struct field_place {
  std::int16_t offset =
      -1;                  ///< In bytes; -1: no such field; from the last text on, relative to it.
  std::uint8_t bytes = 0;  ///< 0: a text.
  bool is_signed = false;
  std::uint8_t texts_before = 0;
  friend bool operator==(const field_place&, const field_place&) = default;
};

struct record_layout {
  std::array<field_place, field_count> places{};
  std::vector<field> order;
  friend bool operator==(const record_layout&, const record_layout&) = default;
};

/// What a decoder has to know of an event by its number.
struct event_shape {
  std::uint32_t bytes = 0;  ///< Of its numbers, without its texts.
  bool known = false;       ///< The metadata describes it.
  bool texts = false;
  record what = record::unknown;
  field_place
      handle;  ///< Of the datum that it names; of the definitions only its registration does.
};

/// The eight bytes that end with the number, without those before it. They are all of the file:
/// before its fields an event has a number and a stamp.
[[nodiscard]] inline std::uint64_t number_before(const std::byte* end, std::size_t bytes) {
  std::uint64_t raw = 0;
  std::memcpy(&raw, end - sizeof raw, sizeof raw);
  return raw >> (64 - 8 * bytes);
}
/// Of six bytes, all ones stand for none, as in eight.
[[nodiscard]] inline std::uint64_t number_at(const std::byte* from, const field_place& where) {
  constexpr std::uint64_t none_of_six = (std::uint64_t{1} << 48) - 1;
  const std::uint64_t raw = number_before(from + where.bytes, where.bytes);
  if (raw == none_of_six && where.bytes == 6) [[unlikely]]
    return ~std::uint64_t{0};
  const int unused = 64 - 8 * where.bytes;
  return where.is_signed
             ? static_cast<std::uint64_t>(static_cast<std::int64_t>(raw << unused) >> unused)
             : raw;
}

/// From stamps to nanoseconds, without a division for each.
class stamp_scale {
 public:
  stamp_scale() = default;
  stamp_scale(const trace_layout& of, std::uint64_t near);
  /// Exact, and slow. Clamped to half of what fits.
  [[nodiscard]] static std::int64_t exact(const trace_layout& of, std::uint64_t stamp);
  /// Within a nanosecond of `exact`; never later for an earlier stamp.
  [[nodiscard]] std::int64_t operator()(std::uint64_t stamp) const noexcept {
    const bool after = stamp >= near_;
    const std::uint64_t apart = after ? stamp - near_ : near_ - stamp;
    const std::uint64_t ns = whole_ ? apart : scaled(apart);
    const auto moved = static_cast<std::int64_t>(ns > most ? most : ns);
    return std::clamp(after ? start_ + moved : start_ - moved, -limit, limit);
  }

 private:
  static constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max() / 4;
  static constexpr std::uint64_t most = std::uint64_t{1} << 61;

  [[nodiscard]] std::uint64_t scaled(std::uint64_t apart) const noexcept;

  std::uint64_t near_ = 0;
  std::int64_t start_ = 0;    // The time at `near_`.
  std::uint64_t whole_ = 1;   // One stamp is a nanosecond.
  std::uint64_t factor_ = 0;  // Of 2^64 - or, of slow clocks, of 2^32 - for a stamp.
  int shift_ = 64;
};

/// Where a field of an event lies; of a text, where it begins.
[[nodiscard]] const std::byte* place_of(const record_layout& layout, const std::byte* payload,
                                        const field_place& where);

/// The tables of one rank.
struct rank_layout {
  explicit rank_layout(trace_layout described, int rank);

  trace_layout metadata;
  int rank = 0;
  bool is_ring = false;                ///< The first packets may be gone.
  std::size_t stamp_bytes = 0;         ///< Of an event: 6, or, of older recordings, 8.
  std::size_t event_header_bytes = 0;  ///< Before its fields: its number, one byte, and its stamp.
  std::map<std::uint64_t, std::array<event_shape, 256>> shapes;  // By stream.
  std::array<record_layout, record_count> known;
  std::array<const structure*, record_count> payloads{};  // In `metadata`.
};

/// The fields of a packet's header and context.
inline constexpr std::uint64_t definitions_kind = 0;  // A `trace::stream_kind`; never recycled.
inline constexpr std::uint64_t no_sequence = std::numeric_limits<std::uint64_t>::max();
struct packet_head {
  std::uint64_t magic = 0, stream_id = 0, packet_bits = 0, content_bits = 0, begin = 0, end = 0,
                discarded = 0, kind = 0, index = 0, sequence = no_sequence;
};
/// Reads them at the start of `bytes`; `position` is then behind them. False if they are damaged;
/// `why` says how.
[[nodiscard]] bool read_head(const rank_layout& layout, std::span<const std::byte> bytes,
                             std::size_t& position, packet_head& into, const char*& why);

/// The stamps of the events of a packet, in their order. They may be low bits only, of which the
/// packet's begin has the others.
class packet_stamps {
 public:
  packet_stamps(const rank_layout& layout, const packet_head& head)
      : bytes_(layout.stamp_bytes),
        low_(~std::uint64_t{0} >> (64 - 8 * bytes_)),
        latest_(head.begin),
        end_(head.end) {}

  /// Of the event at `start`. As it stands there: of a damaged packet it may be any.
  [[nodiscard]] std::uint64_t next(const std::byte* start) {
    std::uint64_t stamp = (latest_ & ~low_) | number_before(start + 1 + bytes_, bytes_);
    // Its low bits have begun anew, if the packet lasts so long; else it is earlier.
    if (stamp < latest_ && end_ > stamp && end_ - stamp > low_) stamp += low_ + 1;
    latest_ = std::max(latest_, stamp);
    return stamp;
  }

 private:
  std::size_t bytes_;
  std::uint64_t low_;
  std::uint64_t latest_;
  std::uint64_t end_;
};

/// The last stamp that is no later than `time`, since the epoch.
[[nodiscard]] std::uint64_t stamp_at(const rank_layout& layout, std::int64_t time);
/// The stamp of the event at `start`, which is at about `time` since the epoch.
[[nodiscard]] std::uint64_t stamp_near(const rank_layout& layout, const std::byte* start,
                                       std::int64_t time);

/// How far the events of a packet are whole.
struct whole_events {
  std::size_t end = 0;           ///< In bytes from the start of the packet.
  std::uint64_t last_stamp = 0;  ///< Of the last one; of the packet's begin if there is none.
  bool damaged = false;          ///< There are more bytes, and they are no event.
};
/// `position` is behind the header, as `read_head` leaves it.
[[nodiscard]] whole_events find_whole_events(const rank_layout& layout, const packet_head& head,
                                             std::span<const std::byte> packet,
                                             std::size_t position);

/// From which event of its stream on the events lie in a file.
struct file_events {
  std::size_t first = 0;
  std::uint32_t file = 0;
};

/// What was read of one stream.
struct stream_content {
  std::vector<stored_event> events;
  std::vector<file_events> files;  ///< In the order of the events.
  std::uint64_t kind = 0, index = 0, discarded = 0;
  std::uint64_t next_sequence = 0;  ///< Of the packet after those that were read.
  bool is_read = false;             ///< There was a packet.
  std::uint64_t known_from = 0;     ///< Packets before it were given up for later ones.
  std::uint64_t unknown = 0;        ///< Events of kinds that the analyses do not know.
  std::uint64_t backwards = 0;      ///< Events earlier than the one before.
  std::array<std::uint64_t, record_count> counts{};  ///< Of events, by record.
  std::vector<std::string> gaps;  ///< Where packets are missing; of a live run, they may come yet.
  std::vector<std::string> incomplete;
};

/// Of a ring, or at DEED_TRACE_LIMIT: that what was before a moment is gone.
[[nodiscard]] std::string say_given_up(std::int64_t before);

/// The stamp of the first event; false if there is none.
[[nodiscard]] bool first_stamp(const rank_layout& layout, std::span<const std::byte> file,
                               std::uint64_t& stamp);

/// Appends the events of one file. Times become nanoseconds after `base`, and never negative.
/// Cost: about 10 ns per event.
void read_packets(const rank_layout& layout, const stamp_scale& scale, std::int64_t base,
                  std::span<const std::byte> file, std::uint32_t number, const std::string& name,
                  stream_content& into);

}  // namespace deed::viewer
