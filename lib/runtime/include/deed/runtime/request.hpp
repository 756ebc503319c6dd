// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/identity.hpp>
#include <deed/base/place.hpp>

#include <cstdint>
#include <utility>

/// @file
/// `deed::request`: a handle on the completion of one call.

namespace deed {

/// What arrived, or left. Units: bytes of payload.
struct message_status {
  rank source;
  message_tag tag;
  std::uint64_t bytes;
};

namespace runtime {
struct request_state;
}

/// Stands for one `isend`, `ireceive` or non-blocking collective until it is known to be complete.
/// Not for calls that nobody waits for: `send` and `receive` are completed by the session, and
/// tasks on the datum wait by themselves.
///
/// | state     | `wait()`  | `test()` | `status()` | `cancel()` | dropped  |
/// |-----------|-----------|----------|------------|------------|----------|
/// | started   | completed | its word | D502       | its word   | detached |
/// | tested    | completed | true     | what came  | false      | nothing  |
/// | completed | D502      | true     | what came  | false      | nothing  |
/// | moved     | D502      | D502     | D502       | D502       | nothing  |
///
/// Of a started one, a true `test()` and a true `cancel()` make it tested.
///
/// Keeps: nothing of the program's; a dropped request is detached, and its message still arrives.
/// Threads: the one that made the session.
class [[nodiscard]] DEED_MODEL("type", "request") request {
 public:
  explicit request(runtime::request_state& taken) noexcept : state_(&taken) {}
  request(request&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  request& operator=(request&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~request();

  /// Returns when the operation is complete: a send may change its datum again, a receive has its
  /// value. Everything else goes on meanwhile.
  /// @throws deed::error D502 after the first time, D705 inside a task or a callback; what `wait`
  ///   of the session throws; under `propagate`, `deed::task_error` D807 where what was to be
  ///   received has no value, because a task of the sender threw.
  DEED_MODEL("waits", "this")
  DEED_MODEL("blocks") message_status wait(place where = place::current());
  /// Whether it is complete; makes progress once. False while the tasks before it run.
  /// Blocks: never.
  bool test(place where = place::current());
  /// @throws deed::error D502 before `wait` or a true `test`.
  [[nodiscard]] message_status status(place where = place::current()) const;
  /// Takes back a receive that no message has come for yet: the datum keeps its old value.
  /// @return false if it is too late, and always for a send, which no MPI can take back reliably.
  /// @throws deed::error D208 if the datum had no value, and something already waits to read it.
  DEED_MODEL("releases", "this") bool cancel(place where = place::current());

 private:
  runtime::request_state* state_;
};

}  // namespace deed
