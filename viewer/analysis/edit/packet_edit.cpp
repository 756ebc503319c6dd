// SPDX-License-Identifier: MIT
#include "analysis/edit/packet_edit.hpp"

#include <deed/trace/events.hpp>

#include "analysis/edit/unwritable.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace deed::viewer {
namespace {

constexpr std::array<const char*, 6> names{"packet_size",   "content_size",   "timestamp_begin",
                                           "timestamp_end", "packet_seq_num", "events_discarded"};

}  // namespace

void store(const rank_layout& layout, std::uint64_t stream, std::span<std::byte> packet,
           head_field which, std::uint64_t value) {
  std::size_t position = 0;
  const std::array parts{&layout.metadata.packet_header,
                         &layout.metadata.streams.at(stream).packet_context};
  for (const structure* const part : parts) {
    for (const field_layout& each : *part) {
      const std::size_t align = each.align / 8u, size = each.bits / 8u;
      position = (position + align - 1) / align * align;
      if (position + size > packet.size()) return;
      if (each.name == names[static_cast<std::size_t>(which)])
        std::memcpy(packet.data() + position, &value, std::min<std::size_t>(size, sizeof value));
      position += size;
    }
  }
}

packet_copier::packet_copier(std::string file, const rank_layout& layout, std::uint64_t stream,
                             std::span<const std::byte> head, std::size_t packet_bytes)
    : file_(std::move(file)),
      layout_(layout),
      stream_(stream),
      packet_(packet_bytes),
      head_bytes_(head.size()),
      used_(head.size()),
      out_(file_, std::ios::binary) {
  std::ranges::copy(head, packet_.begin());
}

void packet_copier::add(std::span<const std::byte> fields, std::int64_t time) {
  const std::byte* const start = fields.data() - layout_.event_header_bytes;
  const std::size_t size = layout_.event_header_bytes + fields.size();
  const std::uint64_t stamp = stamp_near(layout_, start, time);
  const bool silent = stamp > end_ && stamp - end_ > trace::longest_silence;
  if (used_ + size > packet_.size() || (silent && used_ != head_bytes_)) write_packet();
  if (used_ == head_bytes_) begin_ = stamp;
  end_ = stamp;
  std::copy_n(start, size, packet_.begin() + static_cast<std::ptrdiff_t>(used_));
  used_ += size;
}

void packet_copier::finish() {
  // A stream without events still has a packet: a reader wants one in each file.
  if (used_ != head_bytes_ || sequence_ == 0) write_packet();
  out_.flush();
  if (!out_) throw unwritable("`" + file_ + "` cannot be written");
}

void packet_copier::write_packet() {
  const auto put = [&](head_field which, std::uint64_t value) {
    store(layout_, stream_, packet_, which, value);
  };
  put(head_field::packet_bits, packet_.size() * 8);
  put(head_field::content_bits, used_ * 8);
  put(head_field::begin, begin_);
  put(head_field::end, std::max(begin_, end_));
  put(head_field::sequence, sequence_++);
  std::fill(packet_.begin() + static_cast<std::ptrdiff_t>(used_), packet_.end(), std::byte{0});
  out_.write(reinterpret_cast<const char*>(packet_.data()),
             static_cast<std::streamsize>(packet_.size()));
  used_ = head_bytes_;
  begin_ = end_;
}

}  // namespace deed::viewer
