// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>
#include <deed/base/place.hpp>
#include <deed/tasks/vertex.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// The state behind a `gate`.

namespace deed::runtime {

class core;

/// What the program was told before, and caught: the end of the session need not print it again.
struct told_before final : error {
  explicit told_before(const error& again) : error(again) {}
};

/// A vertex that its openings complete. Kept by its handle, by who will open it, and, while it is
/// closed and something waits, by the session.
struct gate_state : tasks::vertex {
  /// What waits behind it. The edge lives here, until the gate is open and gone.
  struct waiter {
    tasks::edge entry;
    std::string_view what;  // "bump", "receive".
    place where;
    std::vector<std::shared_ptr<gate_state>> opens;
  };

  core* home;                  // Kept by the gate.
  const std::uint64_t number;  // Of those of its rank, for recordings.
  std::string name;
  place where;
  const std::uint32_t needed;
  std::atomic<std::uint32_t> left;  // Openings that did not happen yet.
  std::atomic<bool> awaited{false};
  // The submitter's.
  std::uint32_t promised = 0;  // Openings made, or to be made by what was submitted.
  place last_promise;
  std::string elsewhere;  // A task that names it and runs on another rank.
  bool told = false;      // The program was told that it never opens.
  std::deque<waiter> waiting;

  gate_state(core& session, std::uint64_t nth, std::string_view named, std::uint32_t openings,
             place made);
  gate_state(const gate_state&) = delete;
  ~gate_state();
  [[nodiscard]] bool is_open() const noexcept { return left.load(std::memory_order_acquire) == 0; }
};

}  // namespace deed::runtime
