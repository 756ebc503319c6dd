// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>
#include <deed/base/identity.hpp>
#include <deed/base/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

/// @file
/// What moves between ranks, and the operations that callers embed in their own nodes.

namespace deed::transport {

enum class transfer_kind : std::uint8_t {
  datum,         ///< Matched by (sender, tag, version); versions are expected in rising order.
  message,       ///< Matched by (sender, tag), first in, first out.
  contribution,  ///< To a version of a datum. Matched by (sender, tag, version), in any order.
};

/// In `transfer::bytes` of a receive: whatever the sender sends.
inline constexpr std::uint64_t any_size = ~std::uint64_t{0};

/// What one end believes of a transfer; it travels in the header and is compared on arrival.
struct transfer {
  transfer_kind kind = transfer_kind::message;
  std::uint32_t origin = 0;  ///< datum: the owner's rank; otherwise: the sender's.
  std::uint64_t tag = 0;
  std::uint64_t version = 0;  ///< Among what the sender sends the receiver under this name.
  std::uint64_t type_hash = 0;
  std::uint64_t bytes = 0;  ///< sends: exact; receives: exact, or `any_size`.

  friend bool operator==(const transfer&, const transfer&) = default;
};

/// How an operation ended. `error` empty: well.
struct outcome {
  std::exception_ptr error;
  std::uint64_t bytes = 0;
  rank source{0};
};

struct send_operation;
struct receive_operation;

/// What fails a transfer that its other end refused, with that end's code. Why, the other rank
/// knows better: there the transfer fails, too, with all that is known.
class refused_by_peer : public error {
 public:
  using error::error;
};

namespace detail {

/// The engine's part of an operation: a link and the state of its transfer, so that nothing is
/// allocated per operation. Not for callers.
struct operation_state {
  operation_state* next = nullptr;
  send_operation* sending = nullptr;
  receive_operation* receiving = nullptr;
  std::exception_ptr error;
  memory_block room;  // Where a receive goes.
  // A contiguous copy of strided memory beyond one chunk. The operation's own: a network may have
  // it when the engine ends.
  std::unique_ptr<std::byte[]> staging;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;    // Bytes handed to the endpoint.
  std::uint64_t checksum = 0;  // Of the payload, if `checked`.
  std::uint32_t transfer_number = 0;
  std::uint32_t data_tag = 0;
  int source = 0;
  std::uint8_t in_flight = 0;  // Chunks at the endpoint.
  std::uint8_t chunk_log2 = 0;
  bool checked = false;
  bool streaming = false;  // Holds a place among the bulk transfers under way.
  std::int16_t priority = 0;
};

}  // namespace detail

/// One send. The caller fills it, keeps it where it is, and keeps the source, until `completed`.
struct send_operation {
  transfer what;
  rank peer{0};
  /// In device memory only if the endpoint reads it, the peer is another rank, and there are no
  /// checksums.
  const_memory_block source;
  /// Null: all of the source is there. Else it is filled meanwhile, from the front; returns how far
  /// it is, and sets `lost` once nothing more will come: then the send fails with it, at both ends.
  /// Such a send goes to another rank, and without checksums. Called inside the progress lock, at
  /// every turn: it takes no time.
  std::uint64_t (*available)(send_operation&, std::exception_ptr& lost) noexcept = nullptr;
  std::uint8_t chunk_log2 = 0;  ///< It travels in pieces of 2^this bytes; 0: as the engine's do.
  bool synchronous = false;     ///< Complete only when the receiver has matched it.
  bool spoiled = false;         ///< There is no value: the source says why.
  /// The thread sends more, and then calls `flush()`: small ones to one peer leave together.
  bool more = false;
  /// Among large transfers that wait for their turn, here and at the receiver: higher first. What
  /// does not fit into 16 bits counts as their end.
  int priority = 0;
  /// Runs once, outside the progress lock, on the thread that made progress. The source is no
  /// longer needed; the operation may be destroyed here.
  void (*completed)(send_operation&, const outcome&) noexcept = nullptr;
  void* context = nullptr;  ///< The caller's.
  detail::operation_state state;
};

/// One receive. The caller fills it and keeps it where it is until `completed`.
struct receive_operation {
  transfer what;
  rank peer{0};
  /// Set before `destination` is called: there is no value, and what arrives says why. Then type
  /// and size are not compared, and `destination` makes room for that.
  bool spoiled = false;
  std::uint64_t sent_type = 0;   ///< Set when matched: the hash of what was sent, for reports.
  std::uint64_t sent_bytes = 0;  ///< The same: its size.
  /// Called once, when a transfer matched and both ends agree; returns exactly `bytes` of room.
  /// Runs *inside* the progress lock: it may allocate and may call `send` and `receive`, and it
  /// must not wait nor call anything else of the engine. It may throw; the operation then fails
  /// with what it threw, and the sender is told.
  memory_block (*destination)(receive_operation&, std::uint64_t bytes) = nullptr;
  /// As `send_operation::completed`.
  void (*completed)(receive_operation&, const outcome&) noexcept = nullptr;
  void* context = nullptr;  ///< The caller's.
  detail::operation_state state;
};

/// A transfer that only one end knew of.
struct unmatched {
  enum class side : std::uint8_t {
    arrived,    ///< A peer sent it; nobody here received it (D505).
    expected,   ///< A receive here that nobody served (D506).
    announced,  ///< A send of this rank that its peer has not matched yet.
  };
  side where;
  rank peer;
  transfer what;
};

}  // namespace deed::transport
