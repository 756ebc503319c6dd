// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/stream.hpp>

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <memory>

/// @file
/// What a signal handler can say about a task that crashes.

namespace deed::runtime {

struct task_node;

/// What one thread of a session runs, where a handler of SIGSEGV, SIGBUS, SIGFPE and SIGILL finds
/// it: the handlers exist while a note does. They print one line (rank, signal, address, task,
/// place of its insertion), record the signal, and leave the rest to whoever handled it before: a
/// handler of the program, that of the launcher's library, or the default, which ends the process.
/// Cost: four stores per task.
class crash_note {
 public:
  explicit crash_note(int rank);
  crash_note(const crash_note&) = delete;
  crash_note& operator=(const crash_note&) = delete;
  ~crash_note();

  /// The calling thread runs `task` from now on, and records to `events`.
  void begin(const task_node& task, trace::stream& events) noexcept {
    thread_.store(pthread_self(), std::memory_order_relaxed);
    events_.store(&events, std::memory_order_relaxed);
    task_.store(&task, std::memory_order_release);
  }
  /// Null if it runs none. Safe in a handler of signals.
  [[nodiscard]] static const task_node* task_of_this_thread() noexcept;
  void end() noexcept { task_.store(nullptr, std::memory_order_release); }

 private:
  friend class crash_notes;

  const int rank_;
  std::atomic<pthread_t> thread_{};
  std::atomic<trace::stream*> events_{nullptr};
  std::atomic<const task_node*> task_{nullptr};  // Null: none.
  std::atomic<crash_note*> next_{nullptr};
};

/// Memory for handlers of signals on the thread that makes it, so that a stack that overflows can
/// be told. Nothing where the thread has such memory. Threads: its own, as its outermost object.
class signal_stack {
 public:
  signal_stack();
  signal_stack(const signal_stack&) = delete;
  signal_stack& operator=(const signal_stack&) = delete;
  ~signal_stack();

 private:
  static constexpr std::size_t bytes = std::size_t{64} << 10;
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace deed::runtime
