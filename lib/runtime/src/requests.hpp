// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/place.hpp>
#include <deed/runtime/request.hpp>
#include <deed/trace/events.hpp>

#include "failures.hpp"

#include <atomic>
#include <cstdint>
#include <optional>

/// @file
/// The state behind a `request`.

namespace deed::runtime {

class core;
struct transfer_node;

/// Kept by the request and by the operation; the last of the two frees it.
struct request_state {
  core* home;  // Kept by the request.
  place where;
  std::atomic<int> keepers{2};
  std::atomic<bool> done{false};
  std::atomic<bool> awaited{false};
  message_status status{deed::rank{0}, message_tag{0}, 0};
  transfer_node* transfer = nullptr;  // Null once complete. Under the lock of messages.
  std::uint32_t slot = 0, version = 0;
  std::uint64_t collective = 0;           // In recordings. 0: a message.
  std::uint32_t number = trace::nothing;  // Of the collective call, there.
  trace::awaited_message message;         // There, too.
  bool first_value = false;               // A receive into a datum without a value.
  bool tested = false;
  shared_failure why;  // Why this rank got no value. Written before it is done.
  std::optional<place> waited;

  request_state(core& session, place called) noexcept : home(&session), where(called) {}
  void drop() noexcept {
    // Acquire and release: what one keeper wrote stays before the deletion by the other.
    if (keepers.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// The operation is complete, and forgets the request. @return whether somebody sleeps for it.
  [[nodiscard]] bool complete(const message_status& result) noexcept {
    status = result;
    done.store(true, std::memory_order_seq_cst);  // Then the look: pairs with `wait_for`.
    const bool wakes = awaited.load(std::memory_order_seq_cst);
    drop();
    return wakes;
  }
};

}  // namespace deed::runtime
