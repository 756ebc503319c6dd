// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// The records and fields that the analyses know by name. Numbers and layouts come from each
/// trace's metadata; what is not in these lists is counted and skipped.

namespace deed::viewer {

// clang-format off
enum class record : std::uint8_t {
  backtrace, codelet, group, handle_register, handle_unregister, memnode, src_loc, text, worker, task_submit,
task_access, placement, task_ready, task_begin, task_end, state, gate_open, xfer_post, xfer_start, xfer_done,
xfer_pack, cache_lookup, cache_insert, cache_drop, owner, copy_state, borrow, release, ledger_digest,
ledger_step, wait_begin, wait_end, collective_call, collective_begin, copy_begin, copy_end, kernel, alloc, free, evict, counter, clock_sync, phase_push,
phase_pop, error, fatal_signal, stop_run,
  unknown,
};

enum class field : std::uint8_t {
  id, frames, name, file, line, colour, handle, bytes, i, j, home_rank, tag, parent, loc, kind, device, numa,
text, task, codelet, exec_rank, prio, n_acc, arg, mode, ver_in, ver_out, how, policy, rank, cause, cause_id,
status, state, reason_kind, reason, gate, by_kind, by, dir, version, peer, seq, for_task, pack, count,
result, from, to, memnode, holder, epoch, own, common, what, src, dst, pinned, queue, t_begin, t_end, value,
t_ref, rtt, round, index, code, expected, actual, backtrace, msg, signo, step, op, slot, address,
exit_code, held, number, size, members,
};

inline constexpr std::array<std::string_view, 47> record_names{
  "backtrace", "codelet", "group", "handle_register", "handle_unregister", "memnode", "src_loc", "text", "worker",
"task_submit", "task_access", "placement", "task_ready", "task_begin", "task_end", "state", "gate_open",
"xfer_post", "xfer_start", "xfer_done", "xfer_pack", "cache_lookup", "cache_insert", "cache_drop", "owner",
"copy_state", "borrow", "release", "ledger_digest", "ledger_step", "wait_begin", "wait_end", "collective_call", "collective_begin", "copy_begin", "copy_end",
"kernel", "alloc", "free", "evict", "counter", "clock_sync", "phase_push", "phase_pop", "error",
"fatal_signal", "stop_run"};
inline constexpr std::array<std::string_view, 81> field_names{
  "id", "frames", "name", "file", "line", "colour", "handle", "bytes", "i", "j", "home_rank", "tag",
"parent", "loc", "kind", "device", "numa", "text", "task", "codelet", "exec_rank", "prio", "n_acc", "arg",
"mode", "ver_in", "ver_out", "how", "policy", "rank", "cause", "cause_id", "status", "state", "reason_kind",
"reason", "gate", "by_kind", "by", "dir", "version", "peer", "seq", "for_task", "pack", "count", "result",
"from", "to", "memnode", "holder", "epoch", "own", "common", "what", "src", "dst", "pinned", "queue",
"t_begin", "t_end", "value", "t_ref", "rtt", "round", "index", "code", "expected", "actual", "backtrace",
"msg", "signo", "step", "op", "slot", "address", "exit_code", "held", "number", "size", "members"};
// clang-format on

inline constexpr std::size_t record_count = record_names.size();
inline constexpr std::size_t field_count = field_names.size();

}  // namespace deed::viewer
