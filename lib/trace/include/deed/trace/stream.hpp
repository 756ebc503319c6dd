// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/events.hpp>

#include <cstdint>
#include <memory>
#include <span>

/// @file
/// The hot path: one member per record of lib/trace/schema/deed.yaml.

namespace deed::trace {

namespace detail {
class backtraces;
class event_writer;
}  // namespace detail

/// One recording context: a worker, the application thread, the holder of the progress lock, a
/// device queue. A default-constructed stream records nothing.
///
/// Threads: one writer at a time; what serialises the context serialises its stream, and an event
/// is stamped after that lock was taken.
/// Blocks: never where all is kept: if no packet is ready, the event is counted as discarded. A
/// ring prepares the packet here instead, rather than lose the newest events.
/// Cost: off, one predicted branch and no call; on, about 15 ns, no allocation, no system call but
/// a wake-up of the helper thread once per segment.
class stream {
 public:
  stream() noexcept;
  /// `definitions` outlives it.
  stream(std::unique_ptr<detail::event_writer> writer, std::uint32_t categories,
         detail::backtraces& definitions) noexcept;
  ~stream();
  stream(stream&&) noexcept;
  stream& operator=(stream&&) noexcept;

  [[nodiscard]] bool enabled(category what) const noexcept {
    return (bits_ & static_cast<std::uint32_t>(what)) != 0;
  }
  /// Whether anything is recorded at all.
  [[nodiscard]] bool on() const noexcept { return bits_ != 0; }

  /// True once after each new segment of a flight recorder: then the session records `owner` (cause
  /// snapshot) and `copy_state` of all it owns or holds, so that a replay has a start.
  [[nodiscard]] bool wants_snapshot() noexcept;
  /// Events that found no packet.
  [[nodiscard]] std::uint64_t discarded() const noexcept;
  /// Ends the recording of this stream; nothing is recorded from then on.
  void close() noexcept;

  /// A task of the sequence: recorded by its executor, and by owners and holders of its data.
  /// `step`: how often the ledger has changed, this task included; `no_step` for per-rank data.
  void task_submit(std::uint64_t task, std::uint16_t codelet, std::uint32_t exec_rank,
                   std::int16_t prio, std::uint32_t loc, std::uint16_t n_acc,
                   std::uint64_t step = no_step) noexcept {
    if (!enabled(category::task)) [[likely]]
      return;
    write_task_submit(task, codelet, exec_rank, prio, loc, n_acc, step);
  }
  /// One access of a task, in the order of its arguments; executor only.
  void task_access(std::uint64_t task, std::uint16_t arg, std::uint32_t handle, access_kind mode,
                   std::uint32_t ver_in, std::uint32_t ver_out) noexcept {
    if (!enabled(category::access)) [[likely]]
      return;
    write_task_access(task, arg, handle, mode, ver_in, ver_out);
  }
  /// Why a task runs where it runs.
  void placement(std::uint64_t task, placement_cause how, std::uint16_t policy,
                 std::uint32_t rank) noexcept {
    if (!enabled(category::place)) [[likely]]
      return;
    write_placement(task, how, policy, rank);
  }
  /// The last thing that a task waited for has happened.
  void task_ready(std::uint64_t task, ready_cause cause, std::uint64_t cause_id) noexcept {
    if (!enabled(category::task)) [[likely]]
      return;
    write_task_ready(task, cause, cause_id);
  }
  /// The body starts on this worker.
  void task_begin(std::uint64_t task, std::uint16_t codelet) noexcept {
    if (!enabled(category::task)) [[likely]]
      return;
    write_task_begin(task, codelet);
  }
  /// The body has ended on this worker.
  void task_end(std::uint64_t task, task_status status) noexcept {
    if (!enabled(category::task)) [[likely]]
      return;
    write_task_end(task, status);
  }
  /// What a worker does from now on while it runs no task, and because of what.
  void state(worker_state state, reason_kind reason_kind, std::uint64_t reason) noexcept {
    if (!enabled(category::wait)) [[likely]]
      return;
    write_state(state, reason_kind, reason);
  }
  /// A gate is open from now on.
  void gate_open(std::uint64_t gate, gate_cause by_kind, std::uint64_t by) noexcept {
    if (!enabled(category::task)) [[likely]]
      return;
    write_gate_open(gate, by_kind, by);
  }
  /// A transfer is asked for. (handle, version, src, dst, seq) names it on both ends; an explicit
  /// message the tag and the group with src, dst, seq. `for_task`: of that, a `message_call`.
  void xfer_post(direction dir, std::uint32_t handle, std::uint32_t version, std::uint32_t peer,
                 std::uint16_t seq, std::uint64_t bytes, std::uint64_t tag, transfer_reason reason,
                 std::uint64_t for_task) noexcept {
    if (!enabled(category::transfer)) [[likely]]
      return;
    write_xfer_post(dir, handle, version, peer, seq, bytes, tag, reason, for_task);
  }
  /// Bytes are handed to the network. `tag`: a `short_tag`.
  void xfer_start(std::uint32_t handle, std::uint32_t version, std::uint32_t peer,
                  std::uint16_t seq, direction dir, transfer_status status,
                  std::uint32_t tag = 0) noexcept {
    if (!enabled(category::transfer)) [[likely]]
      return;
    write_xfer_start(handle, version, peer, seq, dir, status, tag);
  }
  /// The transfer is complete at this end. `tag`: as of its start. `bytes`: that moved; 0: as many
  /// as were announced.
  void xfer_done(std::uint32_t handle, std::uint32_t version, std::uint32_t peer, std::uint16_t seq,
                 direction dir, transfer_status status, std::uint32_t tag = 0,
                 std::uint64_t bytes = 0) noexcept {
    if (!enabled(category::transfer)) [[likely]]
      return;
    write_xfer_done(handle, version, peer, seq, dir, status, tag, bytes);
  }
  /// Of the transfers to `peer` that started before, and of which none was said, `count` left in
  /// one message.
  void xfer_pack(std::uint32_t pack, std::uint32_t peer, std::uint16_t count,
                 std::uint32_t bytes) noexcept {
    if (!enabled(category::transfer)) [[likely]]
      return;
    write_xfer_pack(pack, peer, count, bytes);
  }
  /// Is (handle, version) already at `peer`?
  void cache_lookup(std::uint32_t handle, std::uint32_t version, std::uint32_t peer,
                    lookup_result result, std::uint64_t for_task) noexcept {
    if (!enabled(category::cache)) [[likely]]
      return;
    write_cache_lookup(handle, version, peer, result, for_task);
  }
  /// A copy is here from now on; `peer` sent it.
  void cache_insert(std::uint32_t handle, std::uint32_t version, std::uint32_t peer) noexcept {
    if (!enabled(category::cache)) [[likely]]
      return;
    write_cache_insert(handle, version, peer);
  }
  /// The copy is forgotten; `by` is a task (invalidated_by_write) or a location.
  void cache_drop(std::uint32_t handle, std::uint32_t version, std::uint32_t peer, drop_cause cause,
                  std::uint64_t by) noexcept {
    if (!enabled(category::cache)) [[likely]]
      return;
    write_cache_drop(handle, version, peer, cause, by);
  }
  /// The owner changes; `by` is a task or a location.
  void owner(std::uint32_t handle, std::uint32_t version, std::uint32_t from, std::uint32_t to,
             owner_cause cause, std::uint64_t by) noexcept {
    if (!enabled(category::ownership)) [[likely]]
      return;
    write_owner(handle, version, from, to, cause, by);
  }
  /// The state of the copy in one memory node of this rank.
  void copy_state(std::uint32_t handle, std::uint32_t version, std::uint16_t memnode,
                  copy_status state, owner_cause cause, std::uint64_t by) noexcept {
    if (!enabled(category::ownership)) [[likely]]
      return;
    write_copy_state(handle, version, memnode, state, cause, by);
  }
  /// A borrow begins; holder is a task, or 0 for the application.
  void borrow(std::uint32_t handle, borrow_kind kind, std::uint64_t holder,
              std::uint32_t loc) noexcept {
    if (!enabled(category::ownership)) [[likely]]
      return;
    write_borrow(handle, kind, holder, loc);
  }
  /// A borrow ends.
  void release(std::uint32_t handle, borrow_kind kind, std::uint64_t holder,
               std::uint32_t loc) noexcept {
    if (!enabled(category::ownership)) [[likely]]
      return;
    write_release(handle, kind, holder, loc);
  }
  /// What this rank knows and what all ranks must agree on, after `step` changes of the ledger:
  /// at every `wait()`, and with category `digest` after every change.
  void ledger_digest(std::uint32_t epoch, std::uint64_t own, std::uint64_t common,
                     std::uint64_t step = no_step) noexcept {
    if (!enabled(category::ownership)) [[likely]]
      return;
    write_ledger_digest(epoch, own, common, step);
  }
  /// The ledger changes, and not by a task. A replay needs these, and the tasks.
  void ledger_step(std::uint64_t step, ledger_change op, std::uint32_t handle, std::uint32_t slot,
                   std::uint32_t rank, std::uint32_t version, std::uint32_t loc) noexcept {
    if (!enabled(category::ownership)) [[likely]]
      return;
    write_ledger_step(step, op, handle, slot, rank, version, loc);
  }
  /// The application starts to wait; for an explicit message, if one is named, or for the
  /// `number`-th collective call of a group.
  void wait_begin(wait_kind what, std::uint64_t id, std::uint32_t loc,
                  const awaited_message& message = {}, std::uint32_t number = nothing) noexcept {
    if (!enabled(category::wait)) [[likely]]
      return;
    write_wait_begin(what, id, loc, message, number);
  }
  /// The wait is over.
  void wait_end(wait_kind what, std::uint64_t id) noexcept {
    if (!enabled(category::wait)) [[likely]]
      return;
    write_wait_end(what, id);
  }
  /// The program makes a collective call; `id` is a `collective_call`.
  void collective_call(std::uint64_t id, std::uint32_t number, std::uint32_t loc) noexcept {
    if (!enabled(category::wait)) [[likely]]
      return;
    write_collective_call(id, number, loc);
  }
  /// This rank's part of it begins: what it gives is there.
  void collective_begin(std::uint64_t id, std::uint32_t number) noexcept {
    if (!enabled(category::wait)) [[likely]]
      return;
    write_collective_begin(id, number);
  }
  /// A copy between memory nodes of this rank starts.
  void copy_begin(std::uint32_t handle, std::uint32_t version, std::uint16_t src, std::uint16_t dst,
                  std::uint64_t bytes, std::uint8_t pinned, std::uint64_t for_task,
                  copy_cause reason) noexcept {
    if (!enabled(category::gpu)) [[likely]]
      return;
    write_copy_begin(handle, version, src, dst, bytes, pinned, for_task, reason);
  }
  /// The copy is complete; device times mapped to the stamps of this trace.
  void copy_end(std::uint32_t handle, std::uint32_t version, std::uint16_t src, std::uint16_t dst,
                std::uint64_t bytes, std::uint64_t t_begin, std::uint64_t t_end) noexcept {
    if (!enabled(category::gpu)) [[likely]]
      return;
    write_copy_end(handle, version, src, dst, bytes, t_begin, t_end);
  }
  /// A kernel ran; device times mapped to the stamps of this trace.
  void kernel(std::uint64_t task, std::uint16_t queue, std::uint64_t t_begin,
              std::uint64_t t_end) noexcept {
    if (!enabled(category::gpu)) [[likely]]
      return;
    write_kernel(task, queue, t_begin, t_end);
  }
  /// Memory for a copy is taken.
  void alloc(std::uint16_t memnode, std::uint32_t handle, std::uint64_t bytes,
             memory_cause cause) noexcept {
    if (!enabled(category::memory)) [[likely]]
      return;
    write_alloc(memnode, handle, bytes, cause);
  }
  /// Memory of a copy is given back.
  void free(std::uint16_t memnode, std::uint32_t handle, std::uint64_t bytes,
            memory_cause cause) noexcept {
    if (!enabled(category::memory)) [[likely]]
      return;
    write_free(memnode, handle, bytes, cause);
  }
  /// A copy makes room for another.
  void evict(std::uint16_t memnode, std::uint32_t handle, std::uint64_t bytes,
             drop_cause cause) noexcept {
    if (!enabled(category::memory)) [[likely]]
      return;
    write_evict(memnode, handle, bytes, cause);
  }
  /// A value over time; the id is a string.
  void counter(std::uint16_t id, std::int64_t value) noexcept {
    if (!enabled(category::memory)) [[likely]]
      return;
    write_counter(id, value);
  }
  /// At some time in the last `rtt` stamps of this rank, the clock of `peer` showed `t_ref`. Rounds
  /// count measurements.
  void clock_sync(std::uint32_t peer, std::uint64_t t_ref, std::uint32_t rtt,
                  std::uint8_t round) noexcept {
    if (bits_ == 0) [[likely]]
      return;
    write_clock_sync(peer, t_ref, rtt, round);
  }
  /// A named phase of the program begins, for example an iteration.
  void phase_push(std::uint32_t name, std::int64_t index) noexcept {
    if (!enabled(category::task)) [[likely]]
      return;
    write_phase_push(name, index);
  }
  /// The phase ends.
  void phase_pop(std::uint32_t name, std::int64_t index) noexcept {
    if (!enabled(category::task)) [[likely]]
      return;
    write_phase_pop(name, index);
  }
  /// A report: the number of deed[D306], and what it is about.
  void error(std::uint16_t code, std::uint32_t handle, std::uint32_t version, std::uint64_t task,
             std::uint64_t expected, std::uint64_t actual, std::uint32_t backtrace,
             std::uint32_t msg) noexcept {
    if (bits_ == 0) [[likely]]
      return;
    write_error(code, handle, version, task, expected, actual, backtrace, msg);
  }
  /// The program ends the run on purpose; the message is a string.
  void stop_run(std::uint8_t exit_code, std::uint32_t msg) noexcept {
    if (bits_ == 0) [[likely]]
      return;
    write_stop_run(exit_code, msg);
  }
  /// The process is about to die. Async-signal-safe. @return whether it is recorded.
  bool fatal_signal(std::uint8_t signo, std::uint32_t backtrace,
                    signal_cause cause = signal_cause::unknown,
                    std::uint64_t address = 0) noexcept {
    if (bits_ == 0) [[likely]]
      return false;
    return write_fatal_signal(signo, backtrace, cause, address);
  }
  /// An `error` for which a handler of signals, or of `exit`, ends the process. Async-signal-safe;
  /// without its text if the definitions are in use or their packet is full. @return whether it is
  /// recorded.
  bool last_error(std::uint16_t code, std::uint32_t handle, std::uint32_t version,
                  std::uint64_t task, const char* text) noexcept {
    if (bits_ == 0) [[likely]]
      return false;
    return write_last_error(code, handle, version, task, text);
  }
  /// A `stop_run`, in the same places and as `last_error` in all else.
  bool last_stop(std::uint8_t exit_code, const char* text) noexcept {
    if (bits_ == 0) [[likely]]
      return false;
    return write_last_stop(exit_code, text);
  }
  /// Directly after a `fatal_signal` or `last_error` that is recorded: where its thread was,
  /// `addresses` of a `call_stack`. Async-signal-safe; it has none if the definitions are in use or
  /// their packet is full.
  void add_backtrace(std::span<const void* const> addresses) noexcept;

 private:
  void write_task_submit(std::uint64_t task, std::uint16_t codelet, std::uint32_t exec_rank,
                         std::int16_t prio, std::uint32_t loc, std::uint16_t n_acc,
                         std::uint64_t step) noexcept;
  void write_task_access(std::uint64_t task, std::uint16_t arg, std::uint32_t handle,
                         access_kind mode, std::uint32_t ver_in, std::uint32_t ver_out) noexcept;
  void write_placement(std::uint64_t task, placement_cause how, std::uint16_t policy,
                       std::uint32_t rank) noexcept;
  void write_task_ready(std::uint64_t task, ready_cause cause, std::uint64_t cause_id) noexcept;
  void write_task_begin(std::uint64_t task, std::uint16_t codelet) noexcept;
  void write_task_end(std::uint64_t task, task_status status) noexcept;
  void write_state(worker_state state, reason_kind reason_kind, std::uint64_t reason) noexcept;
  void write_gate_open(std::uint64_t gate, gate_cause by_kind, std::uint64_t by) noexcept;
  void write_xfer_post(direction dir, std::uint32_t handle, std::uint32_t version,
                       std::uint32_t peer, std::uint16_t seq, std::uint64_t bytes,
                       std::uint64_t tag, transfer_reason reason, std::uint64_t for_task) noexcept;
  void write_xfer_start(std::uint32_t handle, std::uint32_t version, std::uint32_t peer,
                        std::uint16_t seq, direction dir, transfer_status status,
                        std::uint32_t tag) noexcept;
  void write_xfer_done(std::uint32_t handle, std::uint32_t version, std::uint32_t peer,
                       std::uint16_t seq, direction dir, transfer_status status, std::uint32_t tag,
                       std::uint64_t bytes) noexcept;
  void write_xfer_pack(std::uint32_t pack, std::uint32_t peer, std::uint16_t count,
                       std::uint32_t bytes) noexcept;
  void write_cache_lookup(std::uint32_t handle, std::uint32_t version, std::uint32_t peer,
                          lookup_result result, std::uint64_t for_task) noexcept;
  void write_cache_insert(std::uint32_t handle, std::uint32_t version, std::uint32_t peer) noexcept;
  void write_cache_drop(std::uint32_t handle, std::uint32_t version, std::uint32_t peer,
                        drop_cause cause, std::uint64_t by) noexcept;
  void write_owner(std::uint32_t handle, std::uint32_t version, std::uint32_t from,
                   std::uint32_t to, owner_cause cause, std::uint64_t by) noexcept;
  void write_copy_state(std::uint32_t handle, std::uint32_t version, std::uint16_t memnode,
                        copy_status state, owner_cause cause, std::uint64_t by) noexcept;
  void write_borrow(std::uint32_t handle, borrow_kind kind, std::uint64_t holder,
                    std::uint32_t loc) noexcept;
  void write_release(std::uint32_t handle, borrow_kind kind, std::uint64_t holder,
                     std::uint32_t loc) noexcept;
  void write_ledger_digest(std::uint32_t epoch, std::uint64_t own, std::uint64_t common,
                           std::uint64_t step) noexcept;
  void write_ledger_step(std::uint64_t step, ledger_change op, std::uint32_t handle,
                         std::uint32_t slot, std::uint32_t rank, std::uint32_t version,
                         std::uint32_t loc) noexcept;
  void write_wait_begin(wait_kind what, std::uint64_t id, std::uint32_t loc,
                        const awaited_message& message, std::uint32_t number) noexcept;
  void write_wait_end(wait_kind what, std::uint64_t id) noexcept;
  void write_collective_call(std::uint64_t id, std::uint32_t number, std::uint32_t loc) noexcept;
  void write_collective_begin(std::uint64_t id, std::uint32_t number) noexcept;
  void write_copy_begin(std::uint32_t handle, std::uint32_t version, std::uint16_t src,
                        std::uint16_t dst, std::uint64_t bytes, std::uint8_t pinned,
                        std::uint64_t for_task, copy_cause reason) noexcept;
  void write_copy_end(std::uint32_t handle, std::uint32_t version, std::uint16_t src,
                      std::uint16_t dst, std::uint64_t bytes, std::uint64_t t_begin,
                      std::uint64_t t_end) noexcept;
  void write_kernel(std::uint64_t task, std::uint16_t queue, std::uint64_t t_begin,
                    std::uint64_t t_end) noexcept;
  void write_alloc(std::uint16_t memnode, std::uint32_t handle, std::uint64_t bytes,
                   memory_cause cause) noexcept;
  void write_free(std::uint16_t memnode, std::uint32_t handle, std::uint64_t bytes,
                  memory_cause cause) noexcept;
  void write_evict(std::uint16_t memnode, std::uint32_t handle, std::uint64_t bytes,
                   drop_cause cause) noexcept;
  void write_counter(std::uint16_t id, std::int64_t value) noexcept;
  void write_clock_sync(std::uint32_t peer, std::uint64_t t_ref, std::uint32_t rtt,
                        std::uint8_t round) noexcept;
  void write_phase_push(std::uint32_t name, std::int64_t index) noexcept;
  void write_phase_pop(std::uint32_t name, std::int64_t index) noexcept;
  void write_error(std::uint16_t code, std::uint32_t handle, std::uint32_t version,
                   std::uint64_t task, std::uint64_t expected, std::uint64_t actual,
                   std::uint32_t backtrace, std::uint32_t msg) noexcept;
  void write_stop_run(std::uint8_t exit_code, std::uint32_t msg) noexcept;
  bool write_fatal_signal(std::uint8_t signo, std::uint32_t backtrace, signal_cause cause,
                          std::uint64_t address) noexcept;
  bool write_last_error(std::uint16_t code, std::uint32_t handle, std::uint32_t version,
                        std::uint64_t task, const char* text) noexcept;
  bool write_last_stop(std::uint8_t exit_code, const char* text) noexcept;
  void add_text(const char* text) noexcept;

  std::uint32_t bits_ = 0;
  std::uint32_t behind_backtrace_ = 0;  // Bytes of the last event, from its backtrace on.
  std::unique_ptr<detail::event_writer> writer_;
  detail::backtraces* definitions_ = nullptr;
};

}  // namespace deed::trace
