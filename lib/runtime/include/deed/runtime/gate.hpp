// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/attributes.hpp>
#include <deed/base/place.hpp>

#include <memory>
#include <utility>

/// @file
/// `deed::gate`: an event that tasks and messages wait behind, and that others open.

namespace deed {

namespace runtime {
struct gate_state;
}

/// An event of this rank. Made by `session.make_gate("halo", n)`; opens after n openings, of tasks,
/// messages or the program. What names it with `behind(gate)` starts only then.
/// Not for order that data already give: tasks on one datum follow each other by themselves.
///
/// | state          | `open()`, `opens(gate)` done | `behind(gate)` | `wait()`  | dropped |
/// |----------------|------------------------------|----------------|-----------|--------------------|
/// | closed, k to go| k - 1 to go; open if k = 1   | waits          | blocks    | opens as promised
/// | | open           | D703                         | starts at once | returns   | nothing |
///
/// Threads: the one that made the session, and its callbacks.
class DEED_MODEL("type", "gate") gate {
 public:
  explicit gate(std::shared_ptr<runtime::gate_state> made) noexcept : state_(std::move(made)) {}
  gate(gate&&) noexcept = default;
  gate& operator=(gate&&) noexcept = default;

  /// One of its openings, by the program.
  /// @throws deed::error D703 if all of them were made or promised already.
  DEED_MODEL("opens", "this") void open(place where = place::current());
  [[nodiscard]] bool is_open() const noexcept;
  /// Returns when it is open. Everything else goes on meanwhile.
  /// @throws deed::error D702 if nothing that was submitted opens it, D705 inside a task.
  DEED_MODEL("blocks") void wait(place where = place::current());

  /// For the library.
  [[nodiscard]] const std::shared_ptr<runtime::gate_state>& state() const noexcept {
    return state_;
  }

 private:
  std::shared_ptr<runtime::gate_state> state_;
};

/// What stands behind a gate. Made by `behind`.
struct behind_argument {
  std::shared_ptr<runtime::gate_state> what;
};
/// The task or message starts when `what` is open, and its data are free.
[[nodiscard]] DEED_MODEL("awaits") inline behind_argument behind(const gate& what) {
  return {what.state()};
}

/// What opens a gate. Made by `opens`.
struct opens_argument {
  std::shared_ptr<runtime::gate_state> what;
};
/// The task or message opens `what` once, on the rank where it runs, when it is complete and its
/// `when_done(f)` has returned: what stands behind the gate sees what `f` did.
[[nodiscard]] DEED_MODEL("opens", "0") inline opens_argument opens(gate& what) {
  return {what.state()};
}

}  // namespace deed
