// SPDX-License-Identifier: MIT
#include "peers.hpp"

#include <array>
#include <cstring>

namespace deed::transport::detail {
namespace {

void count_frame(traffic& sent, frame_kind kind, std::size_t header_size) noexcept {
  sent.header_bytes += header_size;
  switch (kind) {
    case frame_kind::eager:
      ++sent.data_frames;
      break;
    case frame_kind::announce:
    case frame_kind::clear:
    case frame_kind::credit:
    case frame_kind::refusal:
      ++sent.control_frames;
      break;
    default:
      ++sent.other_frames;
      break;
  }
}

}  // namespace

void peer_table::emit(peer_state& to, header& h, const_memory_block payload,
                      const std::uint64_t* checksum) {
  if (to.lost) return;
  h.sequence = to.next_sequence++;
  const int given = std::min(to.owed, 255);
  to.owed -= given;
  h.credits = static_cast<std::uint8_t>(given);
  std::array<std::byte, header_bytes + checksum_bytes> bytes;
  if (checksum != nullptr) {
    h.flags |= flag_checksum;
    h.header_bytes = static_cast<std::uint16_t>(bytes.size());
    std::memcpy(bytes.data() + header_bytes, checksum, checksum_bytes);
  }
  seal(h);
  std::memcpy(bytes.data(), &h, header_bytes);
  const auto kind = static_cast<frame_kind>(h.kind);
  count_frame(to.sent, kind, h.header_bytes);
  count(kind, counted_sent, frames_sent);
  door_.send_frame(rank{to.id}, std::span(bytes).first(h.header_bytes), payload);
}

}  // namespace deed::transport::detail
