// SPDX-License-Identifier: MIT
#include "core.hpp"
#include "faults.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace deed::transport {

using namespace detail;

namespace {

constexpr std::int32_t most_ahead = 1 << 24;  // Frames of a pair that wait for one before them.

}  // namespace

namespace detail {

transfer transfer_of(const header& h) noexcept {
  return {.kind = (h.flags & flag_message) != 0        ? transfer_kind::message
                  : (h.flags & flag_contribution) != 0 ? transfer_kind::contribution
                                                       : transfer_kind::datum,
          .origin = h.origin,
          .tag = h.tag,
          .version = h.version,
          .type_hash = h.type_hash,
          .bytes = h.bytes};
}

header header_of(const transfer& what, frame_kind kind) noexcept {
  header h;
  h.kind = static_cast<std::uint8_t>(kind);
  h.flags = what.kind == transfer_kind::message        ? flag_message
            : what.kind == transfer_kind::contribution ? flag_contribution
                                                       : std::uint16_t{0};
  h.origin = what.origin;
  h.tag = what.tag;
  h.version = what.version;
  h.bytes = what.bytes;
  h.type_hash = what.type_hash;
  return h;
}

std::uint32_t announced_sends::add(operation_state& operation) {
  if (free_.empty()) {
    if (slots_.size() >= (std::size_t{1} << index_bits) - 1) throw std::bad_alloc{};
    slots_.emplace_back();
    free_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  slots_[index].operation = &operation;
  return (slots_[index].generation << index_bits) + index + 1;
}

operation_state* announced_sends::find(std::uint32_t number) const noexcept {
  const std::uint32_t index = (number & ((1u << index_bits) - 1)) - 1;
  if (index >= slots_.size() || slots_[index].generation != number >> index_bits) return nullptr;
  return slots_[index].operation;
}

void announced_sends::remove(std::uint32_t number) noexcept {
  if (find(number) == nullptr) return;
  const std::uint32_t index = (number & ((1u << index_bits) - 1)) - 1;
  slots_[index].operation = nullptr;
  slots_[index].generation = (slots_[index].generation + 1) & ((1u << (32 - index_bits)) - 1);
  free_.push_back(index);
}

}  // namespace detail

void engine::core::emit(int peer, header& h, const_memory_block payload) {
  peers_.emit(peers_.at(peer), h, payload);
}

void engine::core::message_arrived(int from, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const decoded frame = decode(bytes, limits.ranks);
    if (frame.wrong != nullptr) return fault(from, damaged(rank{from}, frame.wrong));
    frame_arrived(from, frame, bytes.first(bytes.size() - frame.rest.size()));
    bytes = frame.rest;
  }
}

/// Frames of a pair are handled in the order in which they were sent.
void engine::core::frame_arrived(int from, const decoded& frame, std::span<const std::byte> bytes) {
  peer_state& peer = peers_.at(from);
  const auto ahead = static_cast<std::int32_t>(frame.head.sequence - peer.expected_sequence);
  if (ahead > most_ahead) return fault(from, damaged(rank{from}, "its number is impossible"));
  if (ahead > 0) {
    peer.early.emplace(frame.head.sequence, std::vector<std::byte>(bytes.begin(), bytes.end()));
    return;
  }
  if (ahead < 0) return fault(from, damaged(rank{from}, "it came twice"));
  ++peer.expected_sequence;
  dispatch(peer, frame);
  while (!peer.early.empty()) {
    const auto next = peer.early.extract(peer.expected_sequence);
    if (next.empty()) break;
    ++peer.expected_sequence;
    dispatch(peer, decode(next.mapped(), limits.ranks));
  }
}

void engine::core::dispatch(peer_state& peer, const decoded& frame) {
  const header& h = frame.head;
  const auto kind = static_cast<frame_kind>(h.kind);
  peers_.count_received(kind);
  peer.credits = std::min(peer.credits + h.credits, peers_.window());
  switch (kind) {
    case frame_kind::eager:
    case frame_kind::announce:
      transfer_arrived(peer, frame);
      break;
    case frame_kind::clear:
      cleared(peer, h);
      break;
    case frame_kind::credit:
      break;
    case frame_kind::refusal:
      refused(peer, h);
      break;
    case frame_kind::quiesce:
      if (quiescence_.arrived(h) && quiescence_handler) calls_.push(quiescence_handler);
      break;
    case frame_kind::control:
      control_arrived(peer, frame);
      break;
    case frame_kind::reduce:
    case frame_kind::reduced:
      if (auto error = collectives_.arrived(peer.id, frame)) fault(peer.id, std::move(error));
      break;
  }
}

/// The other end of a transfer has failed.
void engine::core::refused(peer_state& peer, const header& h) {
  const auto code = static_cast<error_code>(h.members);
  const transfer theirs = transfer_of(h);
  const auto end = [&](state& operation) {
    const bool active = operation.in_flight > 0;
    if (active) {
      door.cancel_bulk(reinterpret_cast<std::uint64_t>(&operation));
    } else {
      operation.sending != nullptr ? end_send(operation) : end_receive(operation);
    }
  };
  if ((h.flags & flag_by_sender) != 0) {
    const auto fits = [&](const state* at) {
      return at->source == peer.id && at->transfer_number == h.transfer;
    };
    const auto found = std::ranges::find_if(filling_, fits);
    state* const operation =
        found != filling_.end() ? *found
                                : parked_receives_.take([&](const state& at) { return fits(&at); });
    if (operation == nullptr || operation->error) return;
    operation->error = failed_there(code, rank{peer.id}, operation->receiving->what);
    return end(*operation);
  }
  if (h.transfer == 0) return fault(peer.id, failed_there(code, rank{peer.id}, theirs));
  state* const operation = announced_.find(h.transfer);
  if (operation == nullptr || operation->sending->peer.value != peer.id || operation->error) return;
  const transfer& mine = operation->sending->what;
  operation->error = refused_send(code, mine, limits.self, theirs, rank{peer.id});
  if (!operation->streaming) {
    parked_sends_.take([&](const state& at) { return &at == operation; });
  }
  end(*operation);
}

void engine::core::peer_lost(int id) {
  peer_state& peer = peers_.at(id);
  if (peer.lost) return;
  peers_.lose(peer);
  fault(id, detail::peer_lost(rank{id}));
  std::vector<state*> gone;
  announced_.for_each([&](state& at) {
    if (at.sending->peer.value == id) gone.push_back(&at);
  });
  for (state* const at : filling_) {
    if (at->source == id) gone.push_back(at);
  }
  while (state* const at = parked_receives_.take([&](const state& p) { return p.source == id; })) {
    gone.push_back(at);
  }
  for (state* const at : gone) {
    if (at->error) continue;
    const transfer& what = at->sending != nullptr ? at->sending->what : at->receiving->what;
    at->error = detail::peer_lost(rank{id}, what);
    if (at->in_flight > 0) {
      door.cancel_bulk(reinterpret_cast<std::uint64_t>(at));
      continue;
    }
    parked_sends_.take([&](const state& p) { return &p == at; });
    at->sending != nullptr ? end_send(*at) : end_receive(*at);
  }
  lanes_.for_each([&](lane& there) {
    const auto theirs = [&](const state& at) { return at.receiving->peer.value == id; };
    while (state* const at = there.expected.take(theirs)) {
      open_.opened();
      fail(*at, detail::peer_lost(rank{id}, at->receiving->what));
    }
  });
}

void engine::core::control_arrived(peer_state& peer, const decoded& frame) {
  peer.control.insert(peer.control.end(), frame.payload.begin(), frame.payload.end());
  if (peer.control.size() < frame.head.bytes) return;
  calls_.push(
      [this, from = peer.id, what = frame.head.members, bytes = std::exchange(peer.control, {})] {
        if (control_handler) control_handler(rank{from}, what, bytes);
      });
}

}  // namespace deed::transport
