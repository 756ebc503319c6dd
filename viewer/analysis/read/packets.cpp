// SPDX-License-Identifier: MIT
#include "analysis/read/packets.hpp"

#include <deed/trace/events.hpp>

#include "analysis/say/units.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace deed::viewer {
namespace {

__extension__ using wide = __int128;
__extension__ using unsigned_wide = unsigned __int128;

constexpr std::uint32_t ctf_magic = 0xc1fc1fc1;
constexpr std::uint64_t largest_packet = std::uint64_t{512} << 20;
constexpr std::uint64_t billion = 1'000'000'000;

std::uint64_t load(const std::byte* from, std::size_t bytes) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

std::uint64_t* member_of(packet_head& head, const std::string& name) {
  if (name == "magic") return &head.magic;
  if (name == "stream_id") return &head.stream_id;
  if (name == "packet_size") return &head.packet_bits;
  if (name == "content_size") return &head.content_bits;
  if (name == "timestamp_begin") return &head.begin;
  if (name == "timestamp_end") return &head.end;
  if (name == "events_discarded") return &head.discarded;
  if (name == "packet_seq_num") return &head.sequence;
  if (name == "context_kind") return &head.kind;
  if (name == "context_index") return &head.index;
  return nullptr;
}

/// Reads `fields` at `position`; false if the bytes do not reach so far.
bool read_fields(const structure& fields, std::span<const std::byte> bytes, std::size_t& position,
                 packet_head& into) {
  for (const field_layout& each : fields) {
    const std::size_t align = each.align / 8u;
    position = (position + align - 1) / align * align;
    const std::size_t size = each.bits / 8u;
    if (size == 0 || size > 8 || position + size > bytes.size()) return false;
    if (std::uint64_t* const member = member_of(into, each.name))
      *member = load(bytes.data() + position, size);
    position += size;
  }
  return true;
}

/// Of every event. Their headers are the recorder's: a number of one byte, and a stamp.
std::size_t stamp_bytes_of(const trace_layout& described) {
  std::size_t bytes = 0;
  for (const auto& [id, stream] : described.streams) {
    const structure& header = stream.event_header;
    const bool known = header.size() == 2 && header[0].name == "id" && header[0].bits == 8 &&
                       header[1].name == "timestamp" && header[1].align == 8 &&
                       (header[1].bits == 48 || header[1].bits == 64) &&
                       (bytes == 0 || bytes == header[1].bits / 8u);
    if (!known)
      throw unreadable(
          "metadata: before its fields, an event has a number of 8 bits and a stamp of 48 or 64");
    bytes = header[1].bits / 8u;
  }
  return bytes;
}

/// The end of an event with texts, which end with a zero byte; `content` if it is cut off.
std::size_t end_of_texts(const structure& payload, std::span<const std::byte> bytes,
                         std::size_t position, std::size_t content) {
  for (const field_layout& each : payload) {
    if (each.bits != 0) {
      position += each.bits / 8u;
      continue;
    }
    if (position >= content) return content + 1;
    const void* const zero = std::memchr(bytes.data() + position, 0, content - position);
    if (zero == nullptr) return content + 1;
    position = static_cast<std::size_t>(static_cast<const std::byte*>(zero) - bytes.data()) + 1;
  }
  return position;
}

}  // namespace

stamp_scale::stamp_scale(const trace_layout& of, std::uint64_t near)
    : near_(near), start_(exact(of, near)), whole_(of.hertz == billion ? 1 : 0) {
  shift_ = of.hertz > billion ? 64 : 32;
  factor_ = static_cast<std::uint64_t>((static_cast<unsigned_wide>(billion) << shift_) / of.hertz);
}

std::int64_t stamp_scale::exact(const trace_layout& of, std::uint64_t stamp) {
  const wide sum = (static_cast<wide>(stamp) + of.offset_stamps) * static_cast<wide>(billion) /
                       static_cast<wide>(of.hertz) +
                   static_cast<wide>(of.offset_seconds) * static_cast<wide>(billion);
  return static_cast<std::int64_t>(std::clamp<wide>(sum, -limit, limit));
}

std::uint64_t stamp_scale::scaled(std::uint64_t apart) const noexcept {
  const unsigned_wide ns = (static_cast<unsigned_wide>(apart) * factor_) >> shift_;
  return ns > most ? most + 1 : static_cast<std::uint64_t>(ns);
}

rank_layout::rank_layout(trace_layout described, int number)
    : metadata(std::move(described)), rank(number) {
  const auto mode = metadata.environment.find("mode");
  is_ring = mode == metadata.environment.end() || mode->second != "full";
  stamp_bytes = stamp_bytes_of(metadata);
  event_header_bytes = 1 + stamp_bytes;
  for (const auto& [id, stream] : metadata.streams) {
    auto& of_stream = shapes[id];
    for (const auto& [number_of_event, event_described] : stream.events) {
      if (number_of_event > 255) continue;
      event_shape& shape = of_stream[number_of_event];
      shape.known = true;
      record_layout layout;
      std::size_t offset = 0;
      std::uint8_t texts = 0;
      for (const field_layout& each : event_described.payload) {
        const auto name = std::find(field_names.begin(), field_names.end(), each.name);
        if (name != field_names.end()) {
          const auto index = static_cast<std::size_t>(name - field_names.begin());
          layout.places[index] = {static_cast<std::int16_t>(offset),
                                  static_cast<std::uint8_t>(each.bits / 8), each.is_signed, texts};
          layout.order.push_back(static_cast<field>(index));
        }
        shape.bytes += each.bits / 8u;
        offset = each.bits == 0 ? 0 : offset + each.bits / 8u;
        if (each.bits == 0) ++texts;
      }
      shape.texts = texts != 0;
      const auto name = std::find(record_names.begin(), record_names.end(), event_described.name);
      if (name == record_names.end()) continue;
      const auto index = static_cast<std::size_t>(name - record_names.begin());
      if (!known[index].order.empty()) continue;  // Two of one name: the first is the one.
      shape.what = static_cast<record>(index);
      if (shape.what > record::worker || shape.what == record::handle_register ||
          shape.what == record::handle_unregister)
        shape.handle = layout.places[static_cast<std::size_t>(field::handle)];
      payloads[index] = &event_described.payload;
      known[index] = std::move(layout);
    }
  }
}

const std::byte* place_of(const record_layout& layout, const std::byte* payload,
                          const field_place& where) {
  std::size_t texts = 0;
  for (const field each : layout.order) {
    if (texts == where.texts_before) break;
    const field_place& known = layout.places[static_cast<std::size_t>(each)];
    if (known.bytes != 0) {
      payload += known.bytes;
    } else {
      payload += std::strlen(reinterpret_cast<const char*>(payload)) + 1;
      ++texts;
    }
  }
  return payload + where.offset;
}

bool read_head(const rank_layout& layout, std::span<const std::byte> bytes, std::size_t& position,
               packet_head& into, const char*& why) {
  why = "no packet";
  position = 0;
  if (!read_fields(layout.metadata.packet_header, bytes, position, into) || into.magic != ctf_magic)
    return false;
  const auto stream = layout.metadata.streams.find(into.stream_id);
  if (stream == layout.metadata.streams.end()) return false;
  why = "damaged packet";
  return read_fields(stream->second.packet_context, bytes, position, into) &&
         into.packet_bits != 0 && into.packet_bits % 8 == 0 &&
         into.packet_bits / 8 <= largest_packet && into.packet_bits / 8 >= position &&
         into.content_bits <= into.packet_bits;
}

std::string say_given_up(std::int64_t before) {
  return "events before " + say_time(before) +
         " were given up for later ones: a ring, or DEED_TRACE_LIMIT";
}

bool first_stamp(const rank_layout& layout, std::span<const std::byte> file, std::uint64_t& stamp) {
  packet_head head;
  std::size_t position = 0;
  const char* why = nullptr;
  if (!read_head(layout, file, position, head, why)) return false;
  if (position + layout.event_header_bytes >
      std::min<std::uint64_t>(head.content_bits / 8, file.size()))
    return false;
  stamp = packet_stamps(layout, head).next(file.data() + position);
  return stamp >= head.begin && stamp <= head.end;
}

std::uint64_t stamp_at(const rank_layout& layout, std::int64_t time) {
  const trace_layout& clock = layout.metadata;
  const wide since = static_cast<wide>(time) - static_cast<wide>(clock.offset_seconds) * billion;
  const wide about = since * static_cast<wide>(clock.hertz) / billion - clock.offset_stamps;
  return static_cast<std::uint64_t>(std::max<wide>(about, 0));
}

std::uint64_t stamp_near(const rank_layout& layout, const std::byte* start, std::int64_t time) {
  packet_head near{.begin = stamp_at(layout, time)};
  near.begin -= std::min(near.begin, trace::longest_silence);
  near.end = std::numeric_limits<std::uint64_t>::max();
  return packet_stamps(layout, near).next(start);
}

namespace {

/// The end of the event at `position`, of which the header is there; more than `content` if it is
/// cut off.
std::size_t end_of_event(const rank_layout& layout, const packet_head& head,
                         const event_shape& shape, std::size_t id,
                         std::span<const std::byte> packet, std::size_t position,
                         std::size_t content) {
  if (!shape.texts) return position + shape.bytes;
  return end_of_texts(layout.metadata.streams.at(head.stream_id).events.at(id).payload, packet,
                      position, content);
}

/// Of the datum that a whole event names.
std::uint32_t handle_of(const rank_layout& layout, const event_shape& shape,
                        const std::byte* payload) {
  const field_place& where = shape.handle;
  if (where.offset < 0 || where.bytes == 0) return no_handle;
  const std::byte* const at =
      where.texts_before == 0
          ? payload + where.offset
          : place_of(layout.known[static_cast<std::size_t>(shape.what)], payload, where);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number_at(at, where), no_handle));
}

}  // namespace

whole_events find_whole_events(const rank_layout& layout, const packet_head& head,
                               std::span<const std::byte> packet, std::size_t position) {
  const auto& shapes = layout.shapes.at(head.stream_id);
  const std::size_t content = std::min<std::uint64_t>(head.content_bits / 8, packet.size());
  whole_events found{std::min(position, content), head.begin, false};
  packet_stamps stamps(layout, head);
  while (position + layout.event_header_bytes <= content) {
    const auto id = static_cast<std::size_t>(packet[position]);
    const std::uint64_t stamp = stamps.next(packet.data() + position);
    found.damaged = stamp < found.last_stamp || stamp > head.end || !shapes[id].known;
    if (found.damaged) return found;
    position += layout.event_header_bytes;
    position = end_of_event(layout, head, shapes[id], id, packet, position, content);
    if (position > content) break;
    found = {position, stamp, false};
  }
  // Of a whole packet, its last event is whole, too.
  found.damaged = found.end < content && head.packet_bits / 8 <= packet.size();
  return found;
}

void read_packets(const rank_layout& layout, const stamp_scale& scale, std::int64_t base,
                  std::span<const std::byte> file, std::uint32_t number, const std::string& name,
                  stream_content& into) {
  const auto complain = [&](const std::string& what) { into.incomplete.push_back(name + what); };
  into.files.push_back({into.events.size(), number});
  for (std::size_t start = 0; start < file.size();) {
    const auto rest = file.subspan(start);
    packet_head head;
    std::size_t position = 0;
    const char* why = nullptr;
    if (!read_head(layout, rest, position, head, why))
      return complain(std::string(why) + " at byte " + std::to_string(start) +
                      "; the rest is left out");
    // Packets without an event were prepared for more; repair takes them away.
    if (head.sequence != no_sequence && head.content_bits / 8 > position) {
      const std::uint64_t before = head.sequence - into.next_sequence;
      const bool given_up =
          into.next_sequence == 0 && layout.is_ring && head.kind != definitions_kind;
      if (before != 0 && given_up)
        into.known_from = static_cast<std::uint64_t>(
            std::clamp<std::int64_t>(scale(head.begin) - base, 0, latest_time));
      else if (before != 0)
        into.gaps.push_back(name + (before == 1 ? "a packet is" : "packets are") +
                            " missing before byte " + std::to_string(start));
      into.next_sequence = head.sequence + 1;
    }
    into.is_read = true;
    into.kind = head.kind;
    into.index = head.index;
    into.discarded = std::max(into.discarded, head.discarded);
    const std::size_t content = std::min<std::uint64_t>(head.content_bits / 8, rest.size());
    if (head.packet_bits / 8 > rest.size())
      complain("cut off inside a packet at byte " + std::to_string(file.size()) +
               "; every whole event is read");

    const auto& shapes = layout.shapes.at(head.stream_id);
    const std::byte* const bytes = rest.data();
    std::uint64_t latest = into.events.empty() ? 0 : into.events.back().time();
    packet_stamps stamps(layout, head);
    while (position + layout.event_header_bytes <= content) {
      const auto id = static_cast<std::size_t>(bytes[position]);
      const std::uint64_t stamp = stamps.next(bytes + position);
      position += layout.event_header_bytes;
      const event_shape& shape = shapes[id];
      if (stamp < head.begin || stamp > head.end || !shape.known) [[unlikely]] {
        complain((shape.known ? "an event outside its packet's time at byte "
                              : "an event of no known number at byte ") +
                 std::to_string(start + position - layout.event_header_bytes) +
                 "; its packet ends there");
        break;
      }
      const std::size_t end = end_of_event(layout, head, shape, id, rest, position, content);
      if (end > content) break;
      if (shape.what == record::unknown) {
        ++into.unknown;
      } else {
        const std::int64_t after = scale(stamp) - base;
        auto time = static_cast<std::uint64_t>(std::clamp<std::int64_t>(after, 0, latest_time));
        if (time < latest) [[unlikely]] {
          ++into.backwards;
          time = latest;
        }
        latest = time;
        ++into.counts[static_cast<std::size_t>(shape.what)];
        into.events.push_back({time << 8 | static_cast<std::uint64_t>(shape.what),
                               handle_of(layout, shape, bytes + position),
                               static_cast<std::uint32_t>(start + position)});
      }
      position = end;
    }
    start += head.packet_bits / 8;
  }
}

}  // namespace deed::viewer
