// SPDX-License-Identifier: MIT
#pragma once

#include <deed/transport/detail/header.hpp>
#include <deed/transport/endpoint.hpp>
#include <deed/transport/statistics.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

/// @file
/// What an engine knows of each rank it talks to, and the one place where frames leave.

namespace deed::transport::detail {

struct peer_state {
  int id = 0;
  bool lost = false;
  std::uint32_t next_sequence = 0;
  std::uint32_t expected_sequence = 0;
  int credits = 0;  // Eager frames that may leave.
  int owed = 0;     // Credits to give back; negative: so many are withheld first.
  std::uint32_t next_tag = 0;
  std::vector<std::uint32_t> burned_tags;  // Of failed transfers; not used again.
  std::unordered_map<std::uint32_t, std::vector<std::byte>> early;  // Frames ahead of their turn.
  std::vector<std::byte> control;  // Pieces of a control message so far.
  std::vector<std::byte> packed;   // Frames that leave together.
  bool packed_has_credit = false;  // One of them took a credit.
  std::uint32_t packed_transfers = 0;
  traffic sent;
  statistics::received received;
};

/// The peers talked to. Memory grows with them, not with the number of ranks.
class peer_table {
 public:
  peer_table(endpoint& door, int credits)
      : door_(door),
        packed_bytes_(std::min(most_packed, door.limits().frame_bytes)),
        credits_(credits) {}

  [[nodiscard]] peer_state& at(int id) {
    if (newest_ != nullptr && newest_->id == id) return *newest_;
    const auto [slot, is_new] = peers_.try_emplace(id);
    if (is_new) {
      slot->second.id = id;
      slot->second.credits = credits_;
    }
    return *(newest_ = &slot->second);
  }
  [[nodiscard]] int window() const noexcept { return credits_; }
  [[nodiscard]] bool any_lost() const noexcept { return any_lost_; }
  void lose(peer_state& peer) noexcept { peer.lost = any_lost_ = true; }

  /// Numbers, seals and sends a frame; gives owed credits back in it.
  void emit(peer_state& to, header& h, const_memory_block payload = {},
            const std::uint64_t* checksum = nullptr);
  /// From here on small frames to one peer wait for each other, and leave in one message at
  /// `send_packed`, when they fill it, or before one that is not small.
  void pack() noexcept { packs_ = true; }
  /// Hears of each message of several transfers.
  std::function<void(rank peer, std::uint32_t transfers, std::size_t bytes)> on_packed;
  void send_packed();
  /// Whether an eager frame of so many bytes needs no credit of its own: a credit is for a message.
  [[nodiscard]] bool rides(const peer_state& with, std::size_t bytes) const noexcept {
    return with.packed_has_credit && joins(with, bytes);
  }

  template <class F>
  void for_each(F f) const {
    for (const auto& [id, peer] : peers_) f(peer);
  }

  // Frames but for probes and credits; the two sums of the proof of quiescence.
  std::uint64_t counted_sent = 0, counted_received = 0;
  // Frames but for collectives; `close` waits until they agree.
  std::uint64_t frames_sent = 0, frames_received = 0;
  std::uint64_t messages_sent = 0;  // Of one frame or several.
  void count_received(frame_kind kind) noexcept { count(kind, counted_received, frames_received); }

 private:
  static void count(frame_kind kind, std::uint64_t& counted, std::uint64_t& frames) noexcept {
    if (kind != frame_kind::quiesce && kind != frame_kind::credit) ++counted;
    if (kind != frame_kind::reduce && kind != frame_kind::reduced) ++frames;
  }

  /// Of frames that leave together. Open MPI sends up to 4 KiB, its own header included, at once
  /// over shared memory; beyond it asks first, which takes ten times as long.
  static constexpr std::size_t most_packed = 4096 - 64;

  [[nodiscard]] bool joins(const peer_state& others, std::size_t bytes) const noexcept {
    return packs_ && next_frame(others.packed.size()) + bytes <= packed_bytes_;
  }
  void send_packed(peer_state& to);

  endpoint& door_;
  const std::size_t packed_bytes_;
  int credits_;
  bool packs_ = false;
  std::vector<peer_state*> packed_;  // Those that frames wait for.
  bool any_lost_ = false;
  peer_state* newest_ = nullptr;
  std::unordered_map<int, peer_state> peers_;  // Which stay where they are.
};

}  // namespace deed::transport::detail
