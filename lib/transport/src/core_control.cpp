// SPDX-License-Identifier: MIT
#include "core.hpp"
#include "faults.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace deed::transport {

using namespace detail;

void engine::core::check_peer(rank peer) const {
  if (peer.value < 0 || peer.value >= limits.ranks) throw_no_peer(peer, limits.ranks);
}

void engine::core::hold_door(const std::function<void()>& use) {
  const std::scoped_lock hold(lock_);
  use();
}

void engine::core::send_control(rank to, std::uint16_t what, std::span<const std::byte> bytes) {
  check_peer(to);
  if (to == limits.self) {
    calls_.push([this, what, copy = std::vector<std::byte>(bytes.begin(), bytes.end())] {
      if (control_handler) control_handler(limits.self, what, copy);
    });
    return door.wake();
  }
  const std::scoped_lock hold(lock_);
  if (is_gone()) return;
  peer_state& peer = peers_.at(to.value);
  const std::size_t most = limits.frame_bytes - header_bytes;
  std::size_t sent = 0;
  do {
    const auto piece = bytes.subspan(sent, std::min(most, bytes.size() - sent));
    header h;
    h.kind = static_cast<std::uint8_t>(frame_kind::control);
    h.origin = static_cast<std::uint32_t>(limits.self.value);
    h.members = what;
    h.bytes = bytes.size();
    peers_.emit(peer, h, {piece.data(), piece.size()});
    sent += piece.size();
  } while (sent < bytes.size());
  in_flight_.store(door.pending(), std::memory_order_relaxed);
}

void engine::core::all_reduce(std::span<const std::uint64_t> words, reduce_with with,
                              std::function<void(std::span<const std::uint64_t>)> done) {
  const std::scoped_lock hold(lock_);
  if (is_gone()) return;
  collectives_.start(words, with, std::move(done));
  in_flight_.store(door.pending(), std::memory_order_relaxed);
  door.wake();
}

void engine::core::set_idle(bool idle) {
  idle_.store(idle, std::memory_order_release);
  if (!idle) {
    {
      const std::scoped_lock hold(lock_);
      quiescence_.arm();
    }
    if (turns_.wanted()) door.wake();
  } else {
    door.wake();  // A turn is wanted before the next rest.
  }
}

std::vector<unmatched> engine::core::left_over() const {
  std::vector<unmatched> found;
  const std::scoped_lock hold(lock_);
  lanes_.for_each([&](const lane& there) {
    for (const arrival* at = there.first; at != nullptr; at = at->next) {
      found.push_back({unmatched::side::arrived, rank{at->peer}, transfer_of(at->head)});
    }
    for (const state* at = there.expected.front(); at != nullptr; at = at->next) {
      found.push_back({unmatched::side::expected, at->receiving->peer, at->receiving->what});
    }
  });
  announced_.for_each([&](const state& at) {
    if (at.chunk_log2 != 0) return;  // Matched.
    found.push_back({unmatched::side::announced, at.sending->peer, at.sending->what});
  });
  return found;
}

statistics engine::core::counts() const {
  statistics result;
  const std::scoped_lock hold(lock_);
  peers_.for_each([&](const peer_state& peer) {
    if (peer.sent == traffic{} && peer.received == statistics::received{}) return;
    result.peers.push_back({rank{peer.id}, peer.sent, peer.received});
    result.total += peer.sent;
  });
  result.messages = peers_.messages_sent;
  result.unexpected = unexpected_;
  result.most_unmatched_bytes = arrivals_.most_bytes();
  std::ranges::sort(result.peers, {}, [](const auto& at) { return at.peer; });
  return result;
}

}  // namespace deed::transport
