// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/packets.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <vector>

/// @file
/// Packets that are written again.

namespace deed::viewer {

/// Numbers in a packet's header that change when its content does.
enum class head_field : std::uint8_t { packet_bits, content_bits, begin, end, sequence, discarded };

/// Stores a number in the header at the start of `packet`; nothing if it has no such field.
void store(const rank_layout& layout, std::uint64_t stream, std::span<std::byte> packet,
           head_field which, std::uint64_t value);

/// Fills packets with events that lie in other packets.
/// @throws unwritable if the file cannot be written.
class packet_copier {
 public:
  /// Headers are as `head`, the bytes of one of the same stream, but for what changes.
  packet_copier(std::string file, const rank_layout& layout, std::uint64_t stream,
                std::span<const std::byte> head, std::size_t packet_bytes);
  /// An event by its fields, before which its number and its stamp lie; `time`: since the epoch.
  void add(std::span<const std::byte> fields, std::int64_t time);
  /// Of the last event.
  [[nodiscard]] std::uint64_t last_stamp() const noexcept { return end_; }
  /// Writes the last packet.
  void finish();

 private:
  void write_packet();

  std::string file_;
  const rank_layout& layout_;
  std::uint64_t stream_;
  std::vector<std::byte> packet_;
  std::size_t head_bytes_;
  std::size_t used_;
  std::uint64_t begin_ = 0, end_ = 0, sequence_ = 0;
  std::ofstream out_;
};

}  // namespace deed::viewer
