// SPDX-License-Identifier: MIT
#include <deed/trace/stream.hpp>

#include "backtraces.hpp"
#include "event_writer.hpp"

#include <utility>

namespace deed::trace {
namespace {

constexpr std::uint32_t always = std::uint32_t{1} << 31;        // Errors and clocks.
constexpr std::uint32_t bytes_of_text = sizeof(std::uint32_t);  // The last field, where it is one.

}  // namespace

stream::stream() noexcept = default;
stream::stream(std::unique_ptr<detail::event_writer> writer, std::uint32_t categories,
               detail::backtraces& definitions) noexcept
    : bits_(categories | always), writer_(std::move(writer)), definitions_(&definitions) {}
stream::~stream() { close(); }
stream::stream(stream&& other) noexcept
    : bits_(std::exchange(other.bits_, 0)),
      writer_(std::move(other.writer_)),
      definitions_(other.definitions_) {}
stream& stream::operator=(stream&& other) noexcept {
  if (this != &other) {
    close();
    bits_ = std::exchange(other.bits_, 0);
    writer_ = std::move(other.writer_);
    definitions_ = other.definitions_;
  }
  return *this;
}

bool stream::wants_snapshot() noexcept { return writer_ != nullptr && writer_->new_segment(); }

std::uint64_t stream::discarded() const noexcept {
  return writer_ == nullptr ? 0 : writer_->discarded();
}

void stream::close() noexcept {
  bits_ = 0;
  if (writer_ != nullptr) writer_->close();
}

void stream::write_task_submit(std::uint64_t task, std::uint16_t codelet, std::uint32_t exec_rank,
                               std::int16_t prio, std::uint32_t loc, std::uint16_t n_acc,
                               std::uint64_t step) noexcept {
  deed_ctf_events_trace_task_submit(writer_->context(), task, codelet, exec_rank, prio, loc, n_acc,
                                    step);
  writer_->commit();
}

void stream::write_task_access(std::uint64_t task, std::uint16_t arg, std::uint32_t handle,
                               access_kind mode, std::uint32_t ver_in,
                               std::uint32_t ver_out) noexcept {
  deed_ctf_events_trace_task_access(writer_->context(), task, arg, handle,
                                    static_cast<std::uint8_t>(mode), ver_in, ver_out);
  writer_->commit();
}

void stream::write_placement(std::uint64_t task, placement_cause how, std::uint16_t policy,
                             std::uint32_t rank) noexcept {
  deed_ctf_events_trace_placement(writer_->context(), task, static_cast<std::uint8_t>(how), policy,
                                  rank);
  writer_->commit();
}

void stream::write_task_ready(std::uint64_t task, ready_cause cause,
                              std::uint64_t cause_id) noexcept {
  deed_ctf_events_trace_task_ready(writer_->context(), task, static_cast<std::uint8_t>(cause),
                                   cause_id);
  writer_->commit();
}

void stream::write_task_begin(std::uint64_t task, std::uint16_t codelet) noexcept {
  deed_ctf_events_trace_task_begin(writer_->context(), task, codelet);
  writer_->commit();
}

void stream::write_task_end(std::uint64_t task, task_status status) noexcept {
  deed_ctf_events_trace_task_end(writer_->context(), task, static_cast<std::uint8_t>(status));
  writer_->commit();
}

void stream::write_state(worker_state state, reason_kind reason_kind,
                         std::uint64_t reason) noexcept {
  deed_ctf_events_trace_state(writer_->context(), static_cast<std::uint8_t>(state),
                              static_cast<std::uint8_t>(reason_kind), reason);
  writer_->commit();
}

void stream::write_gate_open(std::uint64_t gate, gate_cause by_kind, std::uint64_t by) noexcept {
  deed_ctf_events_trace_gate_open(writer_->context(), gate, static_cast<std::uint8_t>(by_kind), by);
  writer_->commit();
}

void stream::write_xfer_post(direction dir, std::uint32_t handle, std::uint32_t version,
                             std::uint32_t peer, std::uint16_t seq, std::uint64_t bytes,
                             std::uint64_t tag, transfer_reason reason,
                             std::uint64_t for_task) noexcept {
  deed_ctf_events_trace_xfer_post(writer_->context(), static_cast<std::uint8_t>(dir), handle,
                                  version, peer, seq, bytes, tag, static_cast<std::uint8_t>(reason),
                                  for_task);
  writer_->commit();
}

void stream::write_xfer_start(std::uint32_t handle, std::uint32_t version, std::uint32_t peer,
                              std::uint16_t seq, direction dir, transfer_status status,
                              std::uint32_t tag) noexcept {
  deed_ctf_events_trace_xfer_start(writer_->context(), handle, version, peer, seq,
                                   static_cast<std::uint8_t>(dir),
                                   static_cast<std::uint8_t>(status), tag);
  writer_->commit();
}

void stream::write_xfer_done(std::uint32_t handle, std::uint32_t version, std::uint32_t peer,
                             std::uint16_t seq, direction dir, transfer_status status,
                             std::uint32_t tag, std::uint64_t bytes) noexcept {
  deed_ctf_events_trace_xfer_done(writer_->context(), handle, version, peer, seq,
                                  static_cast<std::uint8_t>(dir), static_cast<std::uint8_t>(status),
                                  tag, bytes);
  writer_->commit();
}

void stream::write_xfer_pack(std::uint32_t pack, std::uint32_t peer, std::uint16_t count,
                             std::uint32_t bytes) noexcept {
  deed_ctf_events_trace_xfer_pack(writer_->context(), pack, peer, count, bytes);
  writer_->commit();
}

void stream::write_cache_lookup(std::uint32_t handle, std::uint32_t version, std::uint32_t peer,
                                lookup_result result, std::uint64_t for_task) noexcept {
  deed_ctf_events_trace_cache_lookup(writer_->context(), handle, version, peer,
                                     static_cast<std::uint8_t>(result), for_task);
  writer_->commit();
}

void stream::write_cache_insert(std::uint32_t handle, std::uint32_t version,
                                std::uint32_t peer) noexcept {
  deed_ctf_events_trace_cache_insert(writer_->context(), handle, version, peer);
  writer_->commit();
}

void stream::write_cache_drop(std::uint32_t handle, std::uint32_t version, std::uint32_t peer,
                              drop_cause cause, std::uint64_t by) noexcept {
  deed_ctf_events_trace_cache_drop(writer_->context(), handle, version, peer,
                                   static_cast<std::uint8_t>(cause), by);
  writer_->commit();
}

void stream::write_owner(std::uint32_t handle, std::uint32_t version, std::uint32_t from,
                         std::uint32_t to, owner_cause cause, std::uint64_t by) noexcept {
  deed_ctf_events_trace_owner(writer_->context(), handle, version, from, to,
                              static_cast<std::uint8_t>(cause), by);
  writer_->commit();
}

void stream::write_copy_state(std::uint32_t handle, std::uint32_t version, std::uint16_t memnode,
                              copy_status state, owner_cause cause, std::uint64_t by) noexcept {
  deed_ctf_events_trace_copy_state(writer_->context(), handle, version, memnode,
                                   static_cast<std::uint8_t>(state),
                                   static_cast<std::uint8_t>(cause), by);
  writer_->commit();
}

void stream::write_borrow(std::uint32_t handle, borrow_kind kind, std::uint64_t holder,
                          std::uint32_t loc) noexcept {
  deed_ctf_events_trace_borrow(writer_->context(), handle, static_cast<std::uint8_t>(kind), holder,
                               loc);
  writer_->commit();
}

void stream::write_release(std::uint32_t handle, borrow_kind kind, std::uint64_t holder,
                           std::uint32_t loc) noexcept {
  deed_ctf_events_trace_release(writer_->context(), handle, static_cast<std::uint8_t>(kind), holder,
                                loc);
  writer_->commit();
}

void stream::write_ledger_digest(std::uint32_t epoch, std::uint64_t own, std::uint64_t common,
                                 std::uint64_t step) noexcept {
  deed_ctf_events_trace_ledger_digest(writer_->context(), epoch, own, common, step);
  writer_->commit();
}

void stream::write_ledger_step(std::uint64_t step, ledger_change op, std::uint32_t handle,
                               std::uint32_t slot, std::uint32_t rank, std::uint32_t version,
                               std::uint32_t loc) noexcept {
  deed_ctf_events_trace_ledger_step(writer_->context(), step, static_cast<std::uint8_t>(op), handle,
                                    slot, rank, version, loc);
  writer_->commit();
}

void stream::write_wait_begin(wait_kind what, std::uint64_t id, std::uint32_t loc,
                              const awaited_message& message, std::uint32_t number) noexcept {
  deed_ctf_events_trace_wait_begin(writer_->context(), static_cast<std::uint8_t>(what), id, loc,
                                   message.handle, message.version, message.peer, message.tag,
                                   number);
  writer_->commit();
}

void stream::write_wait_end(wait_kind what, std::uint64_t id) noexcept {
  deed_ctf_events_trace_wait_end(writer_->context(), static_cast<std::uint8_t>(what), id);
  writer_->commit();
}

void stream::write_collective_call(std::uint64_t id, std::uint32_t number,
                                   std::uint32_t loc) noexcept {
  deed_ctf_events_trace_collective_call(writer_->context(), id, number, loc);
  writer_->commit();
}

void stream::write_collective_begin(std::uint64_t id, std::uint32_t number) noexcept {
  deed_ctf_events_trace_collective_begin(writer_->context(), id, number);
  writer_->commit();
}

void stream::write_copy_begin(std::uint32_t handle, std::uint32_t version, std::uint16_t src,
                              std::uint16_t dst, std::uint64_t bytes, std::uint8_t pinned,
                              std::uint64_t for_task, copy_cause reason) noexcept {
  deed_ctf_events_trace_copy_begin(writer_->context(), handle, version, src, dst, bytes, pinned,
                                   for_task, static_cast<std::uint8_t>(reason));
  writer_->commit();
}

void stream::write_copy_end(std::uint32_t handle, std::uint32_t version, std::uint16_t src,
                            std::uint16_t dst, std::uint64_t bytes, std::uint64_t t_begin,
                            std::uint64_t t_end) noexcept {
  deed_ctf_events_trace_copy_end(writer_->context(), handle, version, src, dst, bytes, t_begin,
                                 t_end);
  writer_->commit();
}

void stream::write_kernel(std::uint64_t task, std::uint16_t queue, std::uint64_t t_begin,
                          std::uint64_t t_end) noexcept {
  deed_ctf_events_trace_kernel(writer_->context(), task, queue, t_begin, t_end);
  writer_->commit();
}

void stream::write_alloc(std::uint16_t memnode, std::uint32_t handle, std::uint64_t bytes,
                         memory_cause cause) noexcept {
  deed_ctf_events_trace_alloc(writer_->context(), memnode, handle, bytes,
                              static_cast<std::uint8_t>(cause));
  writer_->commit();
}

void stream::write_free(std::uint16_t memnode, std::uint32_t handle, std::uint64_t bytes,
                        memory_cause cause) noexcept {
  deed_ctf_events_trace_free(writer_->context(), memnode, handle, bytes,
                             static_cast<std::uint8_t>(cause));
  writer_->commit();
}

void stream::write_evict(std::uint16_t memnode, std::uint32_t handle, std::uint64_t bytes,
                         drop_cause cause) noexcept {
  deed_ctf_events_trace_evict(writer_->context(), memnode, handle, bytes,
                              static_cast<std::uint8_t>(cause));
  writer_->commit();
}

void stream::write_counter(std::uint16_t id, std::int64_t value) noexcept {
  deed_ctf_events_trace_counter(writer_->context(), id, value);
  writer_->commit();
}

void stream::write_clock_sync(std::uint32_t peer, std::uint64_t t_ref, std::uint32_t rtt,
                              std::uint8_t round) noexcept {
  deed_ctf_events_trace_clock_sync(writer_->context(), peer, t_ref, rtt, round);
  writer_->commit();
}

void stream::write_phase_push(std::uint32_t name, std::int64_t index) noexcept {
  deed_ctf_events_trace_phase_push(writer_->context(), name, index);
  writer_->commit();
}

void stream::write_phase_pop(std::uint32_t name, std::int64_t index) noexcept {
  deed_ctf_events_trace_phase_pop(writer_->context(), name, index);
  writer_->commit();
}

void stream::write_error(std::uint16_t code, std::uint32_t handle, std::uint32_t version,
                         std::uint64_t task, std::uint64_t expected, std::uint64_t actual,
                         std::uint32_t backtrace, std::uint32_t msg) noexcept {
  deed_ctf_events_trace_error(writer_->context(), code, handle, version, task, expected, actual,
                              backtrace, msg);
  writer_->commit();
}

void stream::write_stop_run(std::uint8_t exit_code, std::uint32_t msg) noexcept {
  deed_ctf_events_trace_stop_run(writer_->context(), exit_code, msg);
  writer_->commit();
}

bool stream::write_fatal_signal(std::uint8_t signo, std::uint32_t backtrace, signal_cause cause,
                                std::uint64_t address) noexcept {
  if (!writer_->drop_unfinished()) return false;
  deed_ctf_events_trace_fatal_signal(writer_->context(), signo, backtrace,
                                     static_cast<std::uint8_t>(cause), address);
  writer_->commit();
  behind_backtrace_ = sizeof backtrace + sizeof cause + sizeof address;
  return true;
}

bool stream::write_last_error(std::uint16_t code, std::uint32_t handle, std::uint32_t version,
                              std::uint64_t task, const char* text) noexcept {
  if (!writer_->drop_unfinished()) return false;
  deed_ctf_events_trace_error(writer_->context(), code, handle, version, task, 0, 0, nothing,
                              nothing);
  writer_->commit();
  behind_backtrace_ = bytes_of_text + sizeof(std::uint32_t);
  add_text(text);
  return true;
}

bool stream::write_last_stop(std::uint8_t exit_code, const char* text) noexcept {
  if (!writer_->drop_unfinished()) return false;
  deed_ctf_events_trace_stop_run(writer_->context(), exit_code, nothing);
  writer_->commit();
  add_text(text);
  return true;
}

/// Of the event that was written last.
void stream::add_text(const char* text) noexcept {
  const std::uint32_t id = definitions_->define_in_handler(text);
  if (id != nothing) writer_->replace_field(bytes_of_text, id);
}

void stream::add_backtrace(std::span<const void* const> addresses) noexcept {
  const std::uint32_t id = definitions_->define_in_handler(addresses);
  if (id != nothing) writer_->replace_field(behind_backtrace_, id);
}

}  // namespace deed::trace
