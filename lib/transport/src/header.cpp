// SPDX-License-Identifier: MIT
#include <deed/transport/detail/header.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

namespace deed::transport::detail {
namespace {

constexpr std::size_t checked_bytes = offsetof(header, check);

std::uint32_t check_of(const header& h) noexcept {
  return static_cast<std::uint32_t>(XXH3_64bits(&h, checked_bytes));
}

const char* wrong_with_fields(const header& h, int ranks) noexcept {
  if (h.magic != wire_magic) return "it does not begin as a frame does";
  if (h.protocol != wire_protocol) return "it speaks another protocol";
  if (h.check != check_of(h)) return "the check of its header differs";
  if ((h.flags & ~known_flags) != 0) return "it has unknown flags";
  const std::size_t length = header_bytes + ((h.flags & flag_checksum) != 0 ? checksum_bytes : 0);
  if (h.header_bytes != length) return "its header has another length";
  if (h.origin >= static_cast<std::uint32_t>(ranks)) return "its origin is no rank";
  return nullptr;
}

/// The payload of a frame that has so many bytes behind its header, which may be others' in part.
struct payload_bytes {
  std::uint64_t count = 0;
  const char* wrong = nullptr;
};

payload_bytes payload_of(const header& h, std::size_t behind) noexcept {
  switch (static_cast<frame_kind>(h.kind)) {
    case frame_kind::announce:
    case frame_kind::clear:
      if (h.chunk_log2 < 6 || h.chunk_log2 > 30) return {0, "its chunks have an impossible size"};
      if (h.transfer == 0) return {0, "it has no transfer"};
      return {};
    case frame_kind::credit:
    case frame_kind::refusal:
    case frame_kind::quiesce:
      return {};
    case frame_kind::control:  // A piece of what its header counts; always the last of a message.
      return {behind, behind <= h.bytes ? nullptr : "its piece is longer than the whole"};
    case frame_kind::reduce:
    case frame_kind::reduced:
      if (h.bytes % 8 != 0) return {0, "its payload is not made of words"};
      [[fallthrough]];
    case frame_kind::eager:
      return {h.bytes, h.bytes <= behind ? nullptr : "its payload has another length"};
  }
  return {0, "its kind is unknown"};
}

}  // namespace

void seal(header& h) noexcept { h.check = check_of(h); }

decoded decode(std::span<const std::byte> message, int ranks) noexcept {
  decoded result;
  if (message.size() < header_bytes) {
    result.wrong = "it is shorter than a header";
    return result;
  }
  std::memcpy(&result.head, message.data(), header_bytes);
  result.wrong = wrong_with_fields(result.head, ranks);
  if (result.wrong != nullptr) return result;
  if (message.size() < result.head.header_bytes) {
    result.wrong = "it is shorter than its header";
    return result;
  }
  if ((result.head.flags & flag_checksum) != 0) {
    std::memcpy(&result.checksum, message.data() + header_bytes, checksum_bytes);
  }
  const auto behind = message.subspan(result.head.header_bytes);
  const auto [bytes, wrong] = payload_of(result.head, behind.size());
  result.wrong = wrong;
  if (wrong != nullptr) return result;
  result.payload = behind.first(bytes);
  if (bytes == behind.size()) return result;
  const std::size_t length = next_frame(result.head.header_bytes + bytes);
  if (length < message.size()) {
    result.rest = message.subspan(length);
  } else {
    result.wrong = "there is something behind it that is no frame";
  }
  return result;
}

std::uint64_t checksum_of(const const_memory_block& block) noexcept {
  if (block.contiguous()) return XXH3_64bits(block.address, block.bytes());
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (std::size_t row = 0; row < block.rows; ++row) {
    XXH3_64bits_update(&state, block.address + row * block.pitch, block.row_bytes);
  }
  return XXH3_64bits_digest(&state);
}

}  // namespace deed::transport::detail
