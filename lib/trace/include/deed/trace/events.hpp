// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

/// @file
/// The words of the records. The numbers are part of the format: new ones are added at the end.

namespace deed::trace {

/// What can be switched off. Definitions, errors, clocks and discards are always recorded.
enum class category : std::uint32_t {
  task = 1,
  access = 2,
  transfer = 4,
  cache = 8,
  ownership = 16,
  gpu = 32,
  wait = 64,
  memory = 128,
  place = 256,
  digest = 512,
};

/// Who writes a stream. One stream is written by one context at a time.
enum class stream_kind : std::uint8_t { definitions, worker, application, progress, gpu };

enum class access_kind : std::uint8_t { read, write, read_write, reduce, scratch, commute };
enum class placement_cause : std::uint8_t { on, on_owner_of, sole_owner, policy };
enum class ready_cause : std::uint8_t { submit, task, transfer, user, gate };
enum class task_status : std::uint8_t { ok, threw, cancelled };
enum class worker_state : std::uint8_t {
  scheduling,
  fetch_wait,
  idle_no_task,
  idle_dependency,
  overhead,
  blocked,
};
/// What the `reason` of a state is the number of.
enum class reason_kind : std::uint8_t { none, task, handle, rank, gate, location };
enum class gate_cause : std::uint8_t { task, message, user };
enum class direction : std::uint8_t { send, receive };
enum class transfer_reason : std::uint8_t {
  task,
  prefetch,
  write_back,
  migrate,
  user,
  reduce,
  flush,
  relay,
  fetch,
};
enum class transfer_status : std::uint8_t { ok, failed, cancelled };
enum class lookup_result : std::uint8_t {
  hit,
  miss_cold,
  miss_version,
  miss_dropped,
  miss_capacity
};
enum class drop_cause : std::uint8_t {
  invalidated_by_write,
  flush_call,
  capacity,
  migrate,
  shutdown,
  cache_off  ///< Copies are not kept: where that was said, or behind the task that this one was
             ///< for.
};
/// Why a datum is copied between memories of one rank.
enum class copy_cause : std::uint8_t {
  fetch,
  prefetch,
  write_back,  ///< Before it is evicted.
  cleaning,    ///< Ahead of need, so that it may be evicted.
};
enum class memory_kind : std::uint8_t { host, device };
/// Why a datum gets memory of a device, or gives it back.
enum class memory_cause : std::uint8_t {
  use,   ///< A task, or a copy ahead of one, needs it.
  end,   ///< Nothing there needs it any more.
  room,  ///< Other data need it.
};
enum class owner_cause : std::uint8_t {
  registration,
  migrate_call,
  write_elsewhere,
  redistribute,
  release,
  snapshot,
  transfer,
  write,
};
/// What changed the ledger, other than a task. Its number, its slot and the rank say the rest.
enum class ledger_change : std::uint8_t {
  add,              ///< A new datum with a value; the rank is its owner.
  add_empty,        ///< A new datum without one.
  remove,           ///< The end of the datum.
  fetch,            ///< The rank holds a copy from now on.
  migrate,          ///< The rank owns it from now on.
  flush,            ///< Copies away from the owner are forgotten.
  write,            ///< The owner wrote it from outside a task.
  flush_all,        ///< Copies of all data are forgotten.
  keep,             ///< Copies are kept from now on. As step 0: the budget, in handle and slot.
  keep_not,         ///< They are not.
  snapshot,         ///< Of a flight recorder: so it is; the rank is the owner.
  snapshot_empty,   ///< As `snapshot`, without a value.
  snapshot_holder,  ///< The rank holds a copy of what the last snapshot was about.
};
enum class copy_status : std::uint8_t { invalid, shared, owner, pending };
enum class borrow_kind : std::uint8_t { shared, mut };
enum class wait_kind : std::uint8_t {
  task,
  handle,
  all,
  barrier,  ///< For all ranks: its id is a `meeting_kind`.
  rank,
  gate,
  window,      ///< For tasks to complete: as many as may wait have been inserted.
  request,     ///< For a message: its id is the location at which it was started.
  collective,  ///< For the calls of others: its id is a `collective_call`.
  clocks,      ///< For another rank to say what its clock shows.
};
/// At what all ranks meet.
enum class meeting_kind : std::uint8_t {
  barrier = 1,
  any,
  end,  ///< Of the session.
  start,
  wait,
  close,
  checkpoint,
  resume,
};
/// Of which kind is a call that ranks make together.
enum class collective_kind : std::uint8_t {
  gather = 1,
  scatter,
  broadcast,
  reduce,
  all_gather,
  all_reduce,
  all_to_all,
  barrier,  ///< Of a group; that of all ranks is a `wait_kind` of its own.
};
/// Such a call in 48 bits. Group 0: all ranks.
struct collective_call {
  collective_kind kind;
  std::uint32_t root;  ///< 20 bits, and its group too: what is more is cut.
  std::uint32_t group;
  [[nodiscard]] constexpr std::uint64_t word() const noexcept {
    return static_cast<std::uint64_t>(kind) | (std::uint64_t{root & 0xfffff} << 8) |
           (std::uint64_t{group & 0xfffff} << 28);
  }
  [[nodiscard]] static constexpr collective_call of(std::uint64_t word) noexcept {
    return {static_cast<collective_kind>(word & 0xff),
            static_cast<std::uint32_t>(word >> 8 & 0xfffff),
            static_cast<std::uint32_t>(word >> 28 & 0xfffff)};
  }
};
/// Why a signal came that ended the process.
enum class signal_cause : std::uint8_t {
  unknown,         ///< Nobody says: the process itself raised it.
  no_memory,       ///< The address is none that it may use.
  stack_ends,      ///< The address lies where the stack ends.
  nothing_behind,  ///< The address is of a file that ends before.
  no_result,       ///< Of an integer division; the address is its instruction.
  no_instruction,  ///< The address is of something that is none.
  aborted,         ///< By `abort()`.
  sent,            ///< By another process; its number is the address.
};

/// As it is printed and shown, behind the name of the signal; the address follows, if there is one.
[[nodiscard]] constexpr std::string_view said_cause(signal_cause cause) noexcept {
  switch (cause) {
    case signal_cause::no_memory:
      return ": there is no memory that it may use at";
    case signal_cause::stack_ends:
      return ": the stack ends there: a recursion without end, or large locals, at";
    case signal_cause::nothing_behind:
      return ": no memory lies behind";
    case signal_cause::no_result:
      return ": an integer division that has no result, at";
    case signal_cause::no_instruction:
      return ": this processor does not know the instruction at";
    case signal_cause::aborted:
      return ": abort(): of the program, an assertion, or std::terminate";
    case signal_cause::sent:
      return ", sent by process";
    case signal_cause::unknown:
      break;
  }
  return "";
}
[[nodiscard]] constexpr bool has_address(signal_cause cause) noexcept {
  return signal_cause::no_memory <= cause && cause <= signal_cause::no_instruction;
}

/// The home rank of a datum that every rank has one of.
inline constexpr std::uint32_t every_rank = ~std::uint32_t{0};
/// No handle, no location, no text.
inline constexpr std::uint32_t nothing = ~std::uint32_t{0};
/// Events carry the low 48 bits of their stamps: between two of a packet is no more than half of
/// what these tell apart, 13 hours at 3 GHz.
inline constexpr std::uint64_t longest_silence = std::uint64_t{1} << 47;
/// By what the start and the end of a transfer name a tag, which its post has whole, and the group
/// of an explicit message: two that differ are taken for one once in 2^32. Of a tag below 2^32
/// among all ranks the tag itself.
[[nodiscard]] constexpr std::uint32_t short_tag(std::uint64_t tag,
                                                std::uint32_t group = 0) noexcept {
  return static_cast<std::uint32_t>(tag ^ (tag >> 32) * 0x9e3779b1u) ^
         (group & 0xffff) * 0x85ebca6bu;
}
/// The call of an explicit message, in 48 bits: of one, which is for no task, a post has it instead
/// of a task. The tags and the numbers of two groups have nothing to do with each other.
struct message_call {
  std::uint32_t loc = nothing;
  std::uint32_t group = 0;  ///< 16 bits: what is more is cut. 0: all ranks.
  [[nodiscard]] constexpr std::uint64_t word() const noexcept {
    return loc | (std::uint64_t{group & 0xffff} << 32);
  }
  /// Of a recording of before, which has no task there: nowhere, among all ranks.
  [[nodiscard]] static constexpr message_call of(std::uint64_t word) noexcept {
    constexpr std::uint64_t no_word = (std::uint64_t{1} << 48) - 1;
    if ((word & no_word) == no_word) return {};
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32 & 0xffff)};
  }
};
/// No version that is known.
inline constexpr std::uint32_t no_version = ~std::uint32_t{0};
/// The explicit message that a request waits for: what it brings to this rank, or takes from it.
struct awaited_message {
  std::uint32_t handle = nothing;
  std::uint32_t version = no_version;
  std::uint32_t peer = nothing;  ///< Of one that is sent: to which rank.
  std::uint32_t tag = 0;         ///< Of one that is sent: as short as in its start.
};
/// No size: of a value that is not there, or that is known only when it is packed.
inline constexpr std::uint64_t no_size = ~std::uint64_t{0};
/// No task.
inline constexpr std::uint64_t no_task = ~std::uint64_t{0};
/// No step: the record stands for none of the ledger's.
inline constexpr std::uint64_t no_step = ~std::uint64_t{0};

}  // namespace deed::trace
