// SPDX-License-Identifier: MIT
#include <deed/base/planted.hpp>

#include "control.hpp"
#include "core.hpp"
#include "dry_run.hpp"
#include "report.hpp"

#include <algorithm>
#include <new>

/// @file
/// From a decision of the ledger to an operation of the engine, and back.

namespace deed::runtime {
namespace {

/// Beside the replica of the datum lies what is contributed to it.
transport::transfer_kind kind_of(const replica* with) {
  return with == nullptr ? transport::transfer_kind::datum : transport::transfer_kind::contribution;
}

}  // namespace

void core::send_version(ownership::slot datum, std::uint32_t version, std::uint32_t origin,
                        std::uint32_t peer, place where, trace::transfer_reason reason,
                        replica* with, bool synchronous, int priority) {
  message_options options;
  options.synchronous = synchronous;
  options.priority = priority;
  const std::uint32_t number = data_[datum].transfers.next(transfer_counts::way::to_peer, peer);
  submit_send(datum, version,
              {.kind = kind_of(with),
               .origin = origin,
               .tag = data_[datum].tag,
               .version = number + (planted(planted_bug::version_off_by_one) ? 1u : 0u),
               .type_hash = data_[datum].type->type_hash,
               .bytes = transport::any_size},
              peer, where, reason, synchronous || priority != 0 ? &options : nullptr, nullptr,
              with);
}

void core::receive_version(ownership::slot datum, std::uint32_t version, std::uint32_t origin,
                           std::uint32_t peer, place where, trace::transfer_reason reason,
                           replica* with) {
  const data::type_operations& type = *data_[datum].type;
  const bool fixed = type.form == data::wire_form::fixed;
  const std::uint32_t number = data_[datum].transfers.next(transfer_counts::way::from_peer, peer);
  submit_receive(datum, version,
                 {.kind = kind_of(with),
                  .origin = origin,
                  .tag = data_[datum].tag,
                  .version = number,
                  .type_hash = type.type_hash,
                  .bytes = fixed ? bytes_of(datum) : transport::any_size},
                 peer, where, reason, nullptr, nullptr, with);
}

void core::submit_send(ownership::slot datum, std::uint32_t version,
                       const transport::transfer& what, std::uint32_t peer, place where,
                       trace::transfer_reason reason, message_options* options,
                       request_state* request, replica* with) {
  transfer_node& fresh = transfers_.take();
  fresh.kind = node_kind::send;
  fresh.version = version;
  record_transfer(fresh, datum, what, peer, trace::direction::send, reason, where);
  transport::send_operation& operation = *new (&fresh.sending) transport::send_operation{};
  operation.what = what;
  if (planted(planted_bug::tags_swapped) && what.kind == transport::transfer_kind::message)
    operation.what.tag ^= 1;
  operation.peer = deed::rank{static_cast<int>(peer)};
  operation.completed = &core::sent;
  operation.context = &fresh;
  if (options != nullptr) {
    operation.synchronous = options->synchronous;
    operation.priority = options->priority;
  }
  std::uint32_t edges = 0;
  furnish(fresh, where, options, request, edges);
  fresh.access_count = 1;
  if (options != nullptr && options->unordered) {
    link_loose(fresh, fresh.only, datum);
  } else {
    link_to(with != nullptr ? *with : here(datum), fresh, fresh.only, access_mode::read, edges);
  }
  if (what.kind == transport::transfer_kind::message) messages_.add(fresh);
  commit(fresh, edges);
}

void core::submit_receive(ownership::slot datum, std::uint32_t version,
                          const transport::transfer& what, std::uint32_t peer, place where,
                          trace::transfer_reason reason, message_options* options,
                          request_state* request, replica* with) {
  transfer_node& fresh = transfers_.take();
  fresh.kind = node_kind::receive;
  fresh.version = version;
  record_transfer(fresh, datum, what, peer, trace::direction::receive, reason, where);
  transport::receive_operation& operation = *new (&fresh.receiving) transport::receive_operation{};
  operation.what = what;
  operation.peer = deed::rank{static_cast<int>(peer)};
  operation.destination = &core::make_room;
  operation.completed = &core::received;
  operation.context = &fresh;
  std::uint32_t edges = 0;
  furnish(fresh, where, options, request, edges);
  fresh.access_count = 1;
  if (options != nullptr && options->unordered) {
    link_loose(fresh, fresh.only, datum);
  } else {
    link_to(with != nullptr ? *with : here(datum), fresh, fresh.only, access_mode::write, edges);
  }
  const bool is_copy = with == nullptr && owner_of(datum) != rank_;
  if (is_copy && !ledger_.is_per_rank(datum)) wants_room(fresh, edges);
  if (what.kind == transport::transfer_kind::message) messages_.add(fresh);
  commit(fresh, edges);
}

/// All of a transfer but its operation; puts it behind its gates.
void core::furnish(transfer_node& fresh, place where, message_options* options,
                   request_state* request, std::uint32_t& edges) {
  fresh.home = this;
  fresh.where = where;
  fresh.failure = fresh.thrown = nullptr;
  fresh.request = request;
  fresh.after = nullptr;
  fresh.arrived = 0;
  fresh.ready = fresh.started = fresh.cancelled = false;
  fresh.loose = options != nullptr && options->unordered;
  fresh.counted = false;
  fresh.has_request = request != nullptr;
  fresh.cancellable = fresh.has_request && fresh.kind == node_kind::receive;
  fresh.group = nullptr;
  if (request != nullptr) request->transfer = &fresh;
  if (options == nullptr) return;
  fresh.group = options->group.get();
  fresh.after = follow(fresh, std::move(*options),
                       fresh.kind == node_kind::send ? "send" : "receive", where, edges);
}

namespace {

template <class Operation>
transfer_node& node_of(Operation& operation) {
  return *static_cast<transfer_node*>(operation.context);
}

// As large as the pieces in which values leave a device: 4 MiB.
constexpr std::uint8_t piece_log2 = 22;

const transport::transfer& what_of(const transfer_node& transfer) {
  return transfer.kind == node_kind::send ? transfer.sending.what : transfer.receiving.what;
}

}  // namespace

/// From here on a request of `done` cannot reach it any more.
request_state* core::release(transfer_node& done) noexcept {
  if (!done.has_request) return nullptr;
  const std::lock_guard lock(messages_.mutex());
  if (done.request != nullptr) done.request->transfer = nullptr;
  return std::exchange(done.request, nullptr);
}

message_status core::status_of(const transfer_node& done) const noexcept {
  const bool receives = done.kind == node_kind::receive;
  int source = receives ? done.receiving.peer.value : rank_;
  if (done.group != nullptr) {
    source =
        static_cast<int>(std::ranges::find(done.group->ranks, source) - done.group->ranks.begin());
  }
  return {deed::rank{source}, message_tag{what_of(done).tag},
          receives ? done.arrived : done.sending.what.bytes};
}

/// Tasks may become ready in another order than they were inserted in; messages leave in that
/// order.
void core::begin(context& self, transfer_node& ready) noexcept {
  if (what_of(ready).kind != transport::transfer_kind::message ||
      planted(planted_bug::message_order_lost)) {
    return start(self, ready);
  }
  messages_.release(ready, [&](transfer_node& next) { start(self, next); });
}

/// Simulated ranks try all orders: of messages that nothing orders, two are under way at once.
void core::check_loose(transfer_node& starts) {
  const replica& copy = starts.only.datum();
  loose_use& now = loose_[&copy];
  const bool receives = starts.kind == node_kind::receive;
  if (now.receives > 0 || (receives && now.sends > 0)) {
    fail(std::make_exception_ptr(
        error(error_code::read_and_written,
              "nothing orders two messages of " + copy.label() + ", which " +
                  (receives && now.sends == 0 ? "both are" : "one is") + " received into",
              {{"one", to_string(now.last)},
               {"the other", to_string(starts.where)},
               {"registered", to_string(copy.where)}},
              "let one open a gate, and the other stand behind it")));
  }
  ++(receives ? now.receives : now.sends);
  now.last = starts.where;
  starts.counted = true;
}

void core::end_loose(const transfer_node& done) {
  const auto now = loose_.find(&done.only.datum());
  --(done.kind == node_kind::receive ? now->second.receives : now->second.sends);
  if (now->second.receives + now->second.sends == 0) loose_.erase(now);
}

void core::start(context& self, transfer_node& transfer) noexcept {
  try {
    if (transfer.loose && environment_.simulated) check_loose(transfer);
    if (!transfer.cancellable) return post(self, transfer);
    // Either it is taken back before, or the engine has it when it is.
    const std::lock_guard lock(messages_.mutex());
    if (transfer.cancelled) return finished(transfer);
    transfer.started = true;
    post(self, transfer);
  } catch (...) {  // The engine refused it.
    transfer.failure = std::current_exception();
    finished(transfer);
  }
}

void core::post(context& self, transfer_node& transfer) {
  record_start(self, transfer);
  transfer.kind == node_kind::send ? post_send(self, transfer) : post_receive(transfer);
}

namespace {

void ask_for(const void* memory, std::size_t bytes) noexcept {
  constexpr std::size_t line = 64;
  for (std::size_t at = 0; at < bytes; at += line)
    __builtin_prefetch(static_cast<const std::byte*>(memory) + at, 1);
}

/// The task that waits for a message, and what is sent behind it, lie where the submitter wrote
/// them: they come here while the message is under way, not when it is there.
/// Before it is received: from then on they may run.
void ask_for_followers(const transfer_node& message) noexcept {
  const auto* const task = static_cast<const node*>(message.successor());
  if (task == nullptr || task->kind != node_kind::task) return;
  ask_for(task, sizeof(task_node));
  const auto* const next = static_cast<const node*>(task->successor());
  if (next != nullptr && is_transfer(*next)) ask_for(next, sizeof(transfer_node));
}

}  // namespace

void core::post_receive(transfer_node& transfer) {
  ask_for_followers(transfer);
  try {
    transfer.only.datum().make_storage(&blocks_);
  } catch (...) {
    transfer.thrown = std::current_exception();  // What arrives is thrown away.
  }
  engine_->receive(transfer.receiving);
}

std::uint64_t core::arrived_of(transport::send_operation& operation,
                               std::exception_ptr& lost) noexcept {
  transfer_node& transfer = node_of(operation);
  return transfer.home->devices_->arrived(transfer, lost);
}

void core::post_send(context& self, transfer_node& transfer) {
  replica& copy = transfer.only.datum();
  transport::send_operation& operation = transfer.sending;
  if (environment_.dry != nullptr) {
    copy.make_storage();
    environment_.dry->sent(operation.peer.value, copy);
  }
  shared_failure why = why_missing(transfer, copy);
  if (why == nullptr) {
    try {
      operation.source = source_of(transfer);
    } catch (...) {
      why = failure_of(transfer, std::current_exception());
      note(self, *why, copy.number);
    }
  }
  if (why != nullptr) {
    transfer.packed = packed_buffers_.take();
    data::pack(*why, transfer.packed);
    operation.spoiled = true;
    operation.source = {transfer.packed.data(), transfer.packed.size()};
  }
  if (why == nullptr && transfer.leased && devices_->comes_in_pieces(transfer)) {
    operation.available = &core::arrived_of;
    operation.chunk_log2 = piece_log2;
  }
  operation.what.bytes = operation.source.bytes();
  if (logs(log_level::debug)) [[unlikely]]
    log_transfer(transfer);
  engine_->send(operation);
  if (planted(planted_bug::send_buffer_freed_early))
    packed_buffers_.give_back(std::move(transfer.packed));
}

const_memory_block core::source_of(transfer_node& transfer) {
  if (transfer.leased) {
    const const_memory_block there = devices_->to_send(transfer);
    if (there.address != nullptr) return there;
  }
  const replica& copy = transfer.only.datum();
  const data::type_operations& type = *copy.type;
  const const_memory_block lying = type.source(copy.storage);
  if (lying.address != nullptr || type.bytes(copy.storage) == 0) return lying;
  // A packed type, or a layout that asks for it at run time.
  transfer.packed = packed_buffers_.take();
  type.pack(copy.storage, transfer.packed);
  return {transfer.packed.data(), transfer.packed.size()};
}

memory_block core::make_room(transport::receive_operation& operation, std::uint64_t bytes) {
  transfer_node& transfer = node_of(operation);
  replica& copy = transfer.only.datum();
  if (!operation.spoiled && transfer.thrown == nullptr) {
    try {
      const memory_block own = copy.type->prepare(copy.storage, bytes);
      if (own.address != nullptr || bytes == 0) return own;
    } catch (const error& refused) {
      // Both ends differ: the sender is to know.
      if (refused.code() != error_code::host_memory_exhausted) throw;
      transfer.thrown = std::current_exception();
    } catch (...) {
      transfer.thrown = std::current_exception();
    }
  }
  transfer.packed = transfer.home->packed_buffers_.take();
  std::byte* const room = transfer.packed.extend(bytes);  // To be unpacked when it is complete.
  return {.address = room, .row_bytes = bytes, .rows = 1, .pitch = bytes};
}

void core::sent(transport::send_operation& operation, const transport::outcome& result) noexcept {
  transfer_node& transfer = node_of(operation);
  transfer.failure = result.error;
  transfer.home->finished(transfer);
}

void core::received(transport::receive_operation& operation,
                    const transport::outcome& result) noexcept {
  transfer_node& transfer = node_of(operation);
  transfer.failure = result.error;
  transfer.arrived = result.bytes;
  transfer.home->finished(transfer);
}

void core::finished(transfer_node& transfer) noexcept {
  note_work();  // Before the engine forgets the operation: who is to unpack it may run much later.
  finished_.push(transfer);
}

/// A value went with its device while it was sent: the others go on without it.
bool core::lost_with_device(const transfer_node& transfer) noexcept {
  try {
    if (transfer.failure != nullptr) std::rethrow_exception(transfer.failure);
  } catch (const error& known) {
    return known.code() == error_code::device_lost || known.code() == error_code::launch_failed;
  } catch (...) {
  }
  return false;
}

void core::unpack(context& self, transfer_node& transfer) {
  if (transfer.kind != node_kind::receive) return;
  replica& copy = transfer.only.datum();
  if (transfer.cancelled) return;
  if (logs(log_level::debug)) [[unlikely]]
    log_transfer(transfer);
  copy.origin = static_cast<int>(transfer.receiving.what.origin);
  if (transfer.failure == nullptr && transfer.receiving.spoiled) {
    copy.poison = std::make_shared<const failure>(heard<failure>(transfer.packed.bytes()));
    return note(self, *copy.poison, copy.number);
  }
  try {
    if (transfer.failure != nullptr) std::rethrow_exception(transfer.failure);
    if (transfer.thrown != nullptr) std::rethrow_exception(transfer.thrown);
    if (!transfer.packed.empty()) {
      copy.packed_bytes = transfer.packed.size();
      if (!planted(planted_bug::unpack_skipped))
        copy.type->unpack(copy.storage, transfer.packed.bytes());
    }
    copy.poison = nullptr;
  } catch (...) {
    copy.poison = failure_of(transfer, std::current_exception());
    if (transfer.failure == nullptr || lost_with_device(transfer))
      note(self, *copy.poison, copy.number);
  }
}

}  // namespace deed::runtime
