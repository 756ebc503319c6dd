// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/base/planted.hpp>

#include "blocks.hpp"
#include "core.hpp"
#include "faults.hpp"

#include <algorithm>
#include <memory>

namespace deed::transport {

using namespace detail;

namespace {

std::uint32_t next_tag(peer_state& peer, std::uint32_t tags) {
  for (;;) {
    const std::uint32_t tag = peer.next_tag++ % tags;
    if (std::ranges::find(peer.burned_tags, tag) == peer.burned_tags.end()) return tag;
  }
}

}  // namespace

void engine::core::start_receive(state& operation) {
  const receive_operation& receive = *operation.receiving;
  const transfer& what = receive.what;
  lane& there = lanes_.at(what.kind, receive.peer.value, what.tag);
  if (arrival* const came = there.take(what.version)) {
    match(operation, {came->head, came->peer, came->data(), came->checksum, came->own});
    if (const auto due = std::ranges::find(late_credits_, came); due != late_credits_.end()) {
      late_credits_.erase(due);
      give_back_credit(peers_.at(came->peer));
    }
    give_back(*came);
    lanes_.tidy(there);
  } else if (what.kind == transfer_kind::datum && there.first != nullptr) {
    refuse_older(operation, there);
  } else if (peers_.any_lost() && peers_.at(receive.peer.value).lost) {
    open_.opened();
    fail(operation, detail::peer_lost(receive.peer, what));
    lanes_.tidy(there);
  } else {
    there.expected.push_back(operation);
  }
}

/// Versions are expected in rising order: what is here and older will never be received.
void engine::core::refuse_older(state& operation, lane& there) {
  const std::uint64_t expected = operation.receiving->what.version;
  there.expected.push_back(operation);
  while (arrival* const stale = there.take_older(expected)) {
    refuse_stale(there, {stale->head, stale->peer, stale->data(), stale->checksum, stale->own},
                 expected);
    give_back(*stale);
  }
  lanes_.tidy(there);
}

void engine::core::transfer_arrived(peer_state& peer, const decoded& frame) {
  const header& h = frame.head;
  const bool eager = static_cast<frame_kind>(h.kind) == frame_kind::eager;
  const transfer sent = transfer_of(h);
  if (sent.kind == transfer_kind::message && static_cast<int>(sent.origin) != peer.id) {
    return fault(peer.id, damaged(rank{peer.id}, "its origin is not its sender"));
  }
  const incoming came{h, peer.id, frame.payload.data(), frame.checksum, nullptr};
  lane& there = lanes_.at(sent.kind, peer.id, sent.tag);
  bool credit_due = eager && (h.flags & flag_rides) == 0;
  if (state* const expected = there.take_expected(sent.version)) {
    match(*expected, came);
    lanes_.tidy(there);
  } else if (there.is_past(sent.version)) {
    refuse_stale(there, came, there.expected.back()->receiving->what.version);
    lanes_.tidy(there);
  } else {
    keep(there, came);
    if (eager && arrivals_.bytes() > options_.unmatched_bytes) {
      late_credits_.push_back(there.last);
      if (!credit_due) --peer.owed;  // That of the message may have gone back: another one waits.
      credit_due = false;
    }
  }
  if (credit_due) give_back_credit(peer);
}

/// What `keep` kept, when it is taken out of its lane.
void engine::core::give_back(arrival& kept) noexcept {
  unmatched_sends_ -= kept.own != nullptr ? 1 : 0;
  arrivals_.give_back(&kept);
}

void engine::core::keep(lane& there, const incoming& came) {
  arrival* const kept = arrivals_.take();
  kept->head = came.head;
  kept->peer = came.peer;
  kept->own = came.own;
  unmatched_sends_ += came.own != nullptr ? 1 : 0;
  kept->checksum = came.checksum;
  if (static_cast<frame_kind>(came.head.kind) == frame_kind::eager) {
    if (came.peer != limits.self.value) ++unexpected_;
    copy({came.payload, came.head.bytes},
         {.address = kept->room(came.head.bytes), .row_bytes = came.head.bytes});
    arrivals_.count(came.head.bytes);
  }
  there.push(*kept);
}

void engine::core::refuse_stale(lane& there, const incoming& came, std::uint64_t expected) {
  const transfer sent = transfer_of(came.head);
  transfer wanted = sent;
  wanted.version = expected;
  const auto error =
      ends_differ(error_code::version_mismatch, sent, rank{came.peer}, wanted, limits.self);
  if (state* const waiting = there.take_expected(expected)) {
    open_.opened();
    fail(*waiting, error);
  } else {
    fault(came.peer, error);
  }
  refuse(came, error_code::version_mismatch, wanted, error);
}

void engine::core::match(state& operation, const incoming& came) {
  open_.opened();
  operation.source = came.peer;
  operation.bytes = came.head.bytes;
  if (const std::exception_ptr error = find_room(operation, came)) {
    return fail(operation, error);
  }
  statistics::received& received = peers_.at(came.peer).received;
  ++received.transfers;
  received.payload_bytes += operation.bytes;
  if (came.own != nullptr) {
    copy(came.own->source, operation.room);
    finish(came.own->state);
    return finish(operation);
  }
  operation.checked = (came.head.flags & flag_checksum) != 0;
  operation.checksum = came.checksum;
  if (static_cast<frame_kind>(came.head.kind) == frame_kind::eager) {
    const const_memory_block payload(came.payload, came.head.bytes);
    if (operation.checked && checksum_of(payload) != operation.checksum) {
      return fail(operation, payload_damaged(rank{came.peer}, operation.receiving->what));
    }
    copy(payload, operation.room);
    return finish(operation);
  }
  operation.transfer_number = came.head.transfer;
  operation.priority = static_cast<std::int16_t>(came.head.members);
  operation.chunk_log2 =
      std::min(came.head.chunk_log2, static_cast<std::uint8_t>(options_.chunk_log2));
  if (static_cast<int>(filling_.size()) < options_.bulk_receives || operation.bytes == 0) {
    fill(operation);
  } else {
    parked_receives_.push_by_priority(operation);
  }
}

/// Compares both ends and asks for room. @return null, or why there is none; the sender knows then.
std::exception_ptr engine::core::find_room(state& operation, const incoming& came) {
  receive_operation& receive = *operation.receiving;
  const transfer sent = transfer_of(came.head);
  std::exception_ptr error;
  receive.sent_type = sent.type_hash;
  receive.sent_bytes = sent.bytes;
  receive.spoiled = (came.head.flags & flag_spoiled) != 0;
  error_code code = receive.spoiled ? error_code{} : what_differs(sent, receive.what);
  if (code != error_code{}) {
    error = ends_differ(code, sent, rank{came.peer}, receive.what, limits.self);
  } else {
    try {
      operation.room = receive.destination(receive, sent.bytes);
      if (operation.room.bytes() != sent.bytes) {
        error = wrong_room(sent, operation.room.bytes());
      }
    } catch (...) {
      error = std::current_exception();
    }
    if (error) code = code_of(error);
  }
  if (error) refuse(came, code, receive.what, error);
  return error;
}

/// Fails the sender's end.
void engine::core::refuse(const incoming& came, error_code code, const transfer& expected,
                          const std::exception_ptr& error) {
  if (came.own != nullptr) return fail(came.own->state, error);
  if (came.peer == limits.self.value) return fault(came.peer, error);
  transfer named = expected;
  named.tag = came.head.tag;
  header h = header_of(named, frame_kind::refusal);
  h.transfer = came.head.transfer;
  h.members = static_cast<std::uint16_t>(code);
  emit(came.peer, h);
}

void engine::core::fill(state& operation) {
  peer_state& peer = peers_.at(operation.source);
  header h = header_of(operation.receiving->what, frame_kind::clear);
  h.transfer = operation.transfer_number;
  h.chunk_log2 = operation.chunk_log2;
  if (operation.bytes == 0) {
    peers_.emit(peer, h);
    return finish(operation);
  }
  filling_.push_back(&operation);
  operation.streaming = true;
  operation.data_tag = h.data_tag = next_tag(peer, limits.bulk_tags);
  if (!operation.room.contiguous() && operation.bytes > std::uint64_t{1} << h.chunk_log2) {
    operation.staging = std::make_unique_for_overwrite<std::byte[]>(operation.bytes);
  }
  fill_more(operation);  // Posted before the peer is told.
  peers_.emit(peer, h);
}

void engine::core::fill_more(state& operation) {
  std::byte* const to =
      operation.staging != nullptr ? operation.staging.get() : operation.room.address;
  const std::uint64_t chunk = std::uint64_t{1} << operation.chunk_log2;
  while (operation.in_flight < chunks_under_way && operation.offset < operation.bytes) {
    const std::uint64_t size = std::min(chunk, operation.bytes - operation.offset);
    const memory_block piece{
        .address = to + operation.offset, .row_bytes = size, .space = operation.room.space};
    ++operation.in_flight;
    operation.offset += size;
    if (planted(planted_bug::last_chunk_dropped) && operation.offset == operation.bytes &&
        size != operation.bytes) {
      --operation.in_flight;
      break;
    }
    door.receive_bulk(rank{operation.source}, operation.data_tag,
                      size == operation.bytes ? operation.room : piece, cookie_of(operation));
  }
}

void engine::core::bulk_receive_ended(state& operation, const std::exception_ptr& error) {
  --operation.in_flight;
  if (error && !operation.error) {
    operation.error = error;
    if (operation.in_flight > 0) door.cancel_bulk(cookie_of(operation));
    header h = header_of(operation.receiving->what, frame_kind::refusal);
    h.transfer = operation.transfer_number;
    h.members = static_cast<std::uint16_t>(code_of(error));
    emit(operation.source, h);
  }
  if (operation.error == nullptr) fill_more(operation);
  if (operation.in_flight == 0) end_receive(operation);
}

void engine::core::end_receive(state& operation) {
  std::erase(filling_, &operation);
  operation.streaming = false;
  if (operation.error) peers_.at(operation.source).burned_tags.push_back(operation.data_tag);
  if (operation.staging != nullptr) {
    if (!operation.error) copy({operation.staging.get(), operation.bytes}, operation.room);
    operation.staging.reset();
  }
  if (!operation.error && operation.checked && checksum_of(operation.room) != operation.checksum) {
    operation.error = payload_damaged(rank{operation.source}, operation.receiving->what);
  }
  finish(operation);
  while (static_cast<int>(filling_.size()) < options_.bulk_receives) {
    state* const next = parked_receives_.pop_front();
    if (next == nullptr) break;
    fill(*next);
  }
}

void engine::core::give_back_credit(peer_state& peer) {
  if (++peer.owed < std::max(1, peers_.window() / 2) || closing_) return;
  header h;
  h.kind = static_cast<std::uint8_t>(frame_kind::credit);
  h.origin = static_cast<std::uint32_t>(limits.self.value);
  peers_.emit(peer, h);
}

}  // namespace deed::transport
