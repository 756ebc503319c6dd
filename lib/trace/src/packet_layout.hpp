// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

/// @file
/// Where the fields of a packet's header are. Equal for both stream types; a test compares it with
/// the metadata.

namespace deed::trace::detail {

struct packet_header {
  std::uint32_t magic;
  std::uint32_t stream_id;
  std::uint64_t packet_bits;
  std::uint64_t content_bits;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t discarded;
  std::uint64_t sequence;
  std::uint32_t kind;
  std::uint32_t index;
};
static_assert(sizeof(packet_header) == 64 && offsetof(packet_header, content_bits) % 8 == 0);

inline constexpr std::uint32_t packet_magic = 0xc1fc1fc1;
inline constexpr std::uint32_t definitions_id = 0;
inline constexpr std::uint32_t events_id = 1;

}  // namespace deed::trace::detail
