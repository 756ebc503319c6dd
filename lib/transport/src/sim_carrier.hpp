// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

/// @file
/// What virtual ranks run on.

namespace deed::transport {

/// Runs one program per rank, exactly one at a time: who runs says who goes on.
class sim_carrier {
 public:
  virtual ~sim_carrier() = default;
  /// Runs `program(r)` for every rank, `first` first. Returns when all have left.
  virtual void run(int ranks, int first, const std::function<void(int)>& program) = 0;
  /// By the rank that runs: `next` goes on. Returns when it is this rank's turn again.
  virtual void hand_over(int self, int next) = 0;
  /// By the rank that runs, as the last thing its program does: `next` goes on; -1: none is left.
  virtual void leave(int self, int next) = 0;
};

/// A thread per rank and a baton: some microseconds per change, and a thread's memory per rank.
[[nodiscard]] std::unique_ptr<sim_carrier> make_thread_carrier();

/// All ranks on the thread that calls `run`, each on a guarded stack of its own: some nanoseconds
/// per change. What a program keeps in `thread_local` is shared by all ranks.
/// Null where the build has none: without Boost.Context, and under sanitizers, which do not know
/// this change of stacks.
[[nodiscard]] std::unique_ptr<sim_carrier> make_fiber_carrier(std::size_t stack_bytes);

}  // namespace deed::transport
