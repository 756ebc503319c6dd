// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/memory.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

/// @file
/// The 64 bytes in front of every frame. An endpoint's message holds one frame, or several, each
/// but the first at the next multiple of 8 bytes behind the one before.

namespace deed::transport::detail {

inline constexpr std::uint16_t wire_magic = 0xdeed;
inline constexpr std::uint8_t wire_protocol = 2;

enum class frame_kind : std::uint8_t {
  eager = 1,     ///< A whole transfer.
  announce = 2,  ///< RTS: a transfer that waits for room.
  clear = 3,     ///< CTS: there is room; send under `data_tag`.
  credit = 5,    ///< Credits alone.
  refusal = 8,   ///< ERROR: `transfer` has failed at its other end, with code `members`.
  quiesce = 9,   ///< A probe of the proof of quiescence; which, says `members`.
  control = 11,  ///< A piece of a control message, of `bytes` in all; what, says `members`.
  reduce = 12,   ///< Words on their way up the tree; `tag` counts collectives, `members` is how.
  reduced = 13,  ///< The result on its way down.
};

inline constexpr std::uint16_t flag_message = 1;        ///< The transfer is a message, not a datum.
inline constexpr std::uint16_t flag_checksum = 2;       ///< 8 bytes, xxh3 of the payload, follow.
inline constexpr std::uint16_t flag_by_sender = 4;      ///< A refusal that comes from the sender.
inline constexpr std::uint16_t flag_spoiled = 8;        ///< The payload says why there is no value.
inline constexpr std::uint16_t flag_contribution = 16;  ///< … no message, but added to a datum.
inline constexpr std::uint16_t flag_rides = 32;  ///< One that leaves with it took the credit.
inline constexpr std::uint16_t known_flags = 63;

/// Little-endian, without padding. Which fields mean something depends on `kind`; the others are 0.
struct header {
  std::uint16_t magic = wire_magic;
  std::uint8_t protocol = wire_protocol;
  std::uint8_t kind = 0;
  std::uint16_t flags = 0;
  std::uint16_t header_bytes = 64;
  std::uint32_t sequence = 0;  ///< Per pair.
  std::uint32_t origin = 0;    ///< The rank whose datum this is; of a message, its sender.
  std::uint64_t tag = 0;
  std::uint64_t version = 0;
  std::uint64_t bytes = 0;
  std::uint64_t type_hash = 0;
  std::uint32_t transfer = 0;  ///< The sender's number; 0 if he needs no answer.
  std::uint32_t data_tag = 0;  ///< Chosen by the receiver.
  std::uint8_t chunk_log2 = 0;
  std::uint8_t credits = 0;   ///< Given back.
  std::uint16_t members = 0;  ///< An announcement: the priority of what it announces.
  std::uint32_t check = 0;    ///< Hash of the first 60 bytes.
};
static_assert(sizeof(header) == 64 && std::is_trivially_copyable_v<header>);
static_assert(std::endian::native == std::endian::little, "the wire is little-endian");

inline constexpr std::size_t header_bytes = sizeof(header);
inline constexpr std::size_t checksum_bytes = 8;

/// Where the next frame of a message begins, behind so many bytes of it.
[[nodiscard]] constexpr std::size_t next_frame(std::size_t bytes) noexcept {
  return (bytes + 7) & ~std::size_t{7};
}

/// Fills in `check`.
void seal(header& h) noexcept;

/// The first frame of a message taken apart, or what is wrong with it.
struct decoded {
  header head;
  std::uint64_t checksum = 0;  ///< If flag_checksum.
  std::span<const std::byte> payload;
  std::span<const std::byte> rest;  ///< The frames behind it.
  const char* wrong = nullptr;      ///< Null: nothing.
};

/// Looks at everything that can be wrong before any field is used. Never throws; any bytes will do.
/// `ranks` bounds `origin`.
[[nodiscard]] decoded decode(std::span<const std::byte> message, int ranks) noexcept;

/// xxh3 of the bytes, row after row.
[[nodiscard]] std::uint64_t checksum_of(const const_memory_block& block) noexcept;

}  // namespace deed::transport::detail
