// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/identity.hpp>
#include <deed/base/memory.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>

/// @file
/// Seam 1: one rank's door to the others.

namespace deed::transport {

/// Fixed for the life of an endpoint.
struct endpoint_limits {
  int ranks = 1;
  rank self{0};
  std::size_t frame_bytes = 8192;                     ///< Header and payload of one frame, at most.
  std::uint32_t bulk_tags = 1 << 16;                  ///< Bulk tags are `[0, bulk_tags)`.
  std::uint64_t bulk_bytes = std::uint64_t{1} << 28;  ///< One bulk operation, at most.
  bool wakes = false;  ///< An arrival ends `rest`; if not, the engine sleeps in short steps.
  // Whether it says that bulk sends may begin in `memory_space::device`, of this maker.
  bool reads_cuda = false;
  bool reads_hip = false;
  bool reads_emulated = false;
};

enum class event_kind : std::uint8_t {
  frame,          ///< `frame` arrived from `peer`.
  bulk_sent,      ///< The memory of `cookie` is the caller's again.
  bulk_received,  ///< The memory of `cookie` is filled.
  bulk_failed,    ///< `cookie` ended with `error`; its memory is the caller's again.
  frame_failed,   ///< A frame to `peer` was lost, with `error`.
  peer_lost,      ///< Nothing goes to or comes from `peer` any more.
};

struct event {
  event_kind kind = event_kind::frame;
  rank peer{0};
  std::span<const std::byte> frame;  ///< Valid until the next `poll`.
  std::uint64_t cookie = 0;
  std::exception_ptr error;
};

/// Moves frames and bulk bytes between ranks; knows no tag, version, type or handle.
/// Every frame arrives once, intact, **in no promised order**. Bulk operations of one pair and one
/// tag match in the order in which they were posted.
///
/// Threads: one caller at a time (the engine's progress lock), but `rest`, `wake` and `signals`,
///   which any thread may call at any time.
/// Blocks: only `rest` and `close`.
class endpoint {
 public:
  virtual ~endpoint() = default;

  [[nodiscard]] virtual const endpoint_limits& limits() const noexcept = 0;

  /// Sends header and payload as one frame; together at most `frame_bytes`, never to itself.
  /// Keeps: nothing; both are copied.
  virtual void send_frame(rank peer, std::span<const std::byte> header,
                          const_memory_block payload) = 0;
  /// Expects exactly `room.bytes()`, at least 1. Posted before the peer is told the tag.
  /// Keeps: the caller the memory until an event with `cookie`.
  virtual void receive_bulk(rank peer, std::uint32_t tag, memory_block room,
                            std::uint64_t cookie) = 0;
  /// Keeps: the caller the memory until an event with `cookie`.
  virtual void send_bulk(rank peer, std::uint32_t tag, const_memory_block source,
                         std::uint64_t cookie) = 0;
  /// Gives up all bulk operations of `cookie`; each still ends with an event.
  virtual void cancel_bulk(std::uint64_t cookie) = 0;
  /// Fills `events` from the front. @return how many.
  virtual std::size_t poll(std::span<event> events) = 0;
  /// Frames and bulk sends handed over and not done.
  [[nodiscard]] virtual std::size_t pending() const noexcept = 0;

  /// Counts arrivals (if `limits().wakes`) and calls of `wake`.
  [[nodiscard]] virtual std::uint64_t signals() const noexcept = 0;
  /// Sleeps until `signals() != seen` or the time is over; at once if they differ already.
  virtual void rest(std::chrono::nanoseconds at_most, std::uint64_t seen) = 0;
  /// Ends every `rest`. Cheap when nobody rests.
  virtual void wake() noexcept = 0;

  /// Leaves nothing behind. After it, only the destructor. If `orderly`, every rank calls it and
  /// nothing is on its way; if not, a peer was lost and nothing collective is done.
  virtual void close(bool orderly) noexcept = 0;
};

}  // namespace deed::transport
