// SPDX-License-Identifier: MIT
#include "blocks.hpp"
#include "core.hpp"
#include "faults.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace deed::transport {

using namespace detail;

namespace {

header header_of(const send_operation& send, frame_kind kind) {
  header h = header_of(send.what, kind);
  if (send.spoiled) h.flags |= flag_spoiled;
  return h;
}

}  // namespace

void engine::core::start_send(state& operation) {
  open_.opened();
  send_operation& send = *operation.sending;
  operation.bytes = send.what.bytes;
  operation.source = limits.self.value;
  using narrow = std::numeric_limits<std::int16_t>;
  operation.priority =
      static_cast<std::int16_t>(std::clamp<int>(send.priority, narrow::min(), narrow::max()));
  peer_state& peer = peers_.at(send.peer.value);
  if (send.source.bytes() != send.what.bytes) {
    return fail(operation, wrong_room(send.what, send.source.bytes()));
  }
  if (peer.lost) return fail(operation, detail::peer_lost(send.peer, send.what));
  ++peer.sent.transfers;
  peer.sent.payload_bytes += send.what.bytes;
  if (send.peer == limits.self) return send_to_self(operation);

  const std::size_t size =
      header_bytes + (options_.checksums ? checksum_bytes : 0) + send.what.bytes;
  // A frame is put together by the processor.
  const bool fits = size <= options_.eager_bytes && send.source.space != memory_space::device &&
                    send.available == nullptr;
  const bool rides = peers_.rides(peer, size);
  if (fits && !send.synchronous && (peer.credits > 0 || rides)) {
    send_eager(operation, peer, rides);
  } else {
    announce(operation, peer);
  }
}

void engine::core::send_to_self(state& operation) {
  send_operation& send = *operation.sending;
  const bool small = !send.synchronous && send.what.bytes + header_bytes <= options_.eager_bytes &&
                     send.source.contiguous();
  const header h = header_of(send, small ? frame_kind::eager : frame_kind::announce);
  const incoming came{h, limits.self.value, send.source.address, 0, small ? nullptr : &send};
  if (small) finish(operation);  // Copied below, or kept: the source is not needed after this.
  lane& there = lanes_.at(send.what.kind, limits.self.value, send.what.tag);
  if (state* const expected = there.take_expected(send.what.version)) {
    match(*expected, came);
    lanes_.tidy(there);
  } else if (there.is_past(send.what.version)) {
    refuse_stale(there, came, there.expected.back()->receiving->what.version);
    lanes_.tidy(there);
  } else {
    keep(there, came);
  }
}

void engine::core::send_eager(state& operation, peer_state& peer, bool rides) {
  const send_operation& send = *operation.sending;
  header h = header_of(send, frame_kind::eager);
  if (rides) {
    h.flags |= flag_rides;
  } else {
    --peer.credits;
  }
  if (options_.checksums) {
    const std::uint64_t checksum = checksum_of(send.source);
    peers_.emit(peer, h, send.source, &checksum);
  } else {
    peers_.emit(peer, h, send.source);
  }
  finish(operation);
}

void engine::core::announce(state& operation, peer_state& peer) {
  const send_operation& send = *operation.sending;
  operation.transfer_number = announced_.add(operation);
  ++unmatched_sends_;
  ++peer.sent.announced;
  if (operation.bytes == 0) ++peer.sent.data_frames;  // All there is of it; as an eager one counts.
  header h = header_of(send, frame_kind::announce);
  h.transfer = operation.transfer_number;
  const auto chunk_log2 = static_cast<std::uint8_t>(options_.chunk_log2);
  h.chunk_log2 = send.chunk_log2 == 0 ? chunk_log2 : std::min(chunk_log2, send.chunk_log2);
  h.members = static_cast<std::uint16_t>(operation.priority);
  if (options_.checksums) {
    const std::uint64_t checksum = checksum_of(send.source);
    peers_.emit(peer, h, {}, &checksum);
  } else {
    peers_.emit(peer, h);
  }
}

void engine::core::cleared(peer_state& peer, const header& h) {
  state* const operation = announced_.find(h.transfer);
  if (operation == nullptr || operation->sending->peer.value != peer.id ||
      operation->chunk_log2 != 0 || h.data_tag >= limits.bulk_tags) {
    return fault(peer.id, damaged(rank{peer.id}, "it clears a transfer that does not wait"));
  }
  operation->data_tag = h.data_tag;
  operation->chunk_log2 = h.chunk_log2;  // Not 0: from here on it is matched.
  --unmatched_sends_;
  if (operation->bytes == 0) return end_send(*operation);
  if (streaming_ < options_.bulk_sends) {
    stream(*operation);
  } else {
    parked_sends_.push_by_priority(*operation);
  }
}

void engine::core::stream(state& operation) {
  ++streaming_;
  operation.streaming = true;
  const const_memory_block& source = operation.sending->source;
  if (!source.contiguous() && operation.bytes > std::uint64_t{1} << operation.chunk_log2) {
    operation.staging = std::make_unique_for_overwrite<std::byte[]>(operation.bytes);
    copy(source, memory_block{.address = operation.staging.get(), .row_bytes = operation.bytes});
  }
  if (operation.sending->available != nullptr) growing_.push_back(&operation);
  stream_more(operation);
}

/// More may have come of the sources that are filled meanwhile.
bool engine::core::grow() {
  bool grown = false;
  for (std::size_t i = growing_.size(); i-- > 0;) {  // Those that end are erased.
    state& operation = *growing_[i];
    const std::uint64_t before = operation.offset;
    stream_more(operation);
    grown |= operation.offset != before || operation.error != nullptr;
    if (operation.error != nullptr && operation.in_flight == 0) end_send(operation);
  }
  return grown;
}

void engine::core::lose_source(state& operation, std::exception_ptr why) {
  operation.error = std::move(why);
  tell_receiver(operation, code_of(operation.error));
  if (operation.in_flight > 0) door.cancel_bulk(cookie_of(operation));
}

void engine::core::stream_more(state& operation) {
  if (operation.error != nullptr) return;
  const const_memory_block& source = operation.sending->source;
  const std::byte* const from =
      operation.staging != nullptr ? operation.staging.get() : source.address;
  const std::uint64_t chunk = std::uint64_t{1} << operation.chunk_log2;
  peer_state& peer = peers_.at(operation.sending->peer.value);
  std::uint64_t there = operation.bytes;
  if (operation.sending->available != nullptr && operation.offset < operation.bytes) {
    std::exception_ptr lost;
    there = operation.sending->available(*operation.sending, lost);
    if (lost != nullptr) return lose_source(operation, std::move(lost));
  }
  while (operation.in_flight < chunks_under_way && operation.offset < operation.bytes) {
    const std::uint64_t size = std::min(chunk, operation.bytes - operation.offset);
    if (operation.offset + size > there) break;
    const bool whole = size == operation.bytes;
    const_memory_block piece(from + operation.offset, size);
    piece.space = source.space;
    ++operation.in_flight;
    operation.offset += size;
    ++peer.sent.data_frames;
    door.send_bulk(rank{peer.id}, operation.data_tag, whole ? source : piece, cookie_of(operation));
  }
}

void engine::core::bulk_send_ended(state& operation, const std::exception_ptr& error) {
  --operation.in_flight;
  if (error && !operation.error) {
    operation.error = error;
    tell_receiver(operation, error_code::mpi_failed);
    if (operation.in_flight > 0) door.cancel_bulk(cookie_of(operation));
  }
  if (operation.error == nullptr) stream_more(operation);
  const bool all = operation.offset == operation.bytes || operation.error != nullptr;
  if (operation.in_flight == 0 && all) end_send(operation);
}

void engine::core::forget_announced(const state& operation) noexcept {
  if (operation.chunk_log2 == 0) --unmatched_sends_;
  announced_.remove(operation.transfer_number);
}

void engine::core::end_send(state& operation) {
  forget_announced(operation);
  operation.staging.reset();
  if (operation.sending->available != nullptr) std::erase(growing_, &operation);
  const bool streamed = std::exchange(operation.streaming, false);
  finish(operation);
  if (!streamed) return;
  --streaming_;
  while (streaming_ < options_.bulk_sends) {
    state* const next = parked_sends_.pop_front();
    if (next == nullptr) break;
    stream(*next);
  }
}

void engine::core::tell_receiver(const state& operation, error_code why) {
  header h = header_of(operation.sending->what, frame_kind::refusal);
  h.flags |= flag_by_sender;
  h.transfer = operation.transfer_number;
  h.members = static_cast<std::uint16_t>(why);
  emit(operation.sending->peer.value, h);
}

}  // namespace deed::transport
