// SPDX-License-Identifier: MIT
#include "peers.hpp"

#include "blocks.hpp"

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
  const int given = std::clamp(to.owed, 0, 255);
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
  const auto head = std::span<const std::byte>(bytes).first(h.header_bytes);
  const std::size_t size = head.size() + payload.bytes();
  // The pieces of a control message do not say how long they are.
  const auto alone = [&] { return kind == frame_kind::control || !joins(to, size); };
  if (alone()) send_packed(to);
  if (alone()) {
    ++messages_sent;
    return door_.send_frame(rank{to.id}, head, payload);
  }
  if (to.packed.empty()) packed_.push_back(&to);
  if (kind == frame_kind::eager) {
    to.packed_has_credit = true;
    ++to.packed_transfers;
  }
  const std::size_t begin = next_frame(to.packed.size());
  to.packed.resize(begin + size);
  std::memcpy(to.packed.data() + begin, head.data(), head.size());
  copy(payload, {.address = to.packed.data() + begin + head.size(), .row_bytes = payload.bytes()});
}

void peer_table::send_packed(peer_state& to) {
  if (to.packed.empty()) return;
  if (!to.lost) {
    ++messages_sent;
    door_.send_frame(rank{to.id}, to.packed, {});
    if (to.packed_transfers > 1 && on_packed)
      on_packed(rank{to.id}, to.packed_transfers, to.packed.size());
  }
  to.packed.clear();
  to.packed_transfers = 0;
  to.packed_has_credit = false;
  std::erase(packed_, &to);
}

void peer_table::send_packed() {
  packs_ = false;
  while (!packed_.empty()) send_packed(*packed_.back());
}

}  // namespace deed::transport::detail
