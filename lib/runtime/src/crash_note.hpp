// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error_code.hpp>
#include <deed/base/place.hpp>
#include <deed/trace/stream.hpp>

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

/// @file
/// What a signal handler can say about a task, or a rank's program, that crashes.

namespace deed::runtime {

struct task_node;

/// What one thread of a session runs, where a handler of SIGSEGV, SIGBUS, SIGFPE, SIGILL and
/// SIGABRT finds it: the handlers exist while a note does. They print one line (rank, signal,
/// address; the task and the place of its insertion, or the program's last call), record the
/// signal, and leave the rest to whoever handled it before: a handler of the program, that of the
/// launcher's library, or the default, which ends the process. Cost: four stores per task.
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
  /// The caller is the rank's program: it has last called the session at `last_call`, and records
  /// to `events`. Both live as long as this. `in_run`: it is in `deed::run`. `frame`: of what made
  /// the session, on its stack.
  void of_program(const place& last_call, trace::stream* const& events, bool in_run,
                  const void* frame) noexcept;
  /// Null if it runs none. Safe in a handler of signals.
  [[nodiscard]] static const task_node* task_of_this_thread() noexcept;
  /// In a handler of signals that ends the process for a mistake of what it interrupted, a task or
  /// a rank's program: records it. `context`: as the handler was given it.
  static void record_error(error_code code, std::uint32_t handle, const char* text,
                           const void* context) noexcept;
  /// The calling thread leaves the process by `exit`, so that nobody else ends its recording: why
  /// that is a mistake, or what the program meant by it. Nothing where it is of no session.
  static void record_exit(error_code code, const char* text) noexcept;
  static void record_stop(int status, const char* text) noexcept;
  /// What the calling thread is at; of programs, the innermost that it stands in.
  struct work {
    int rank;
    const task_node* task;  ///< Null: the rank's program.
    place last_call;        ///< Of the program; line 0: none yet.
    bool in_run;            ///< Of the program, too.
  };
  /// Not in a handler of signals. Empty: nothing of a session.
  [[nodiscard]] static std::optional<work> work_of_this_thread() noexcept;
  /// Whether a session of this process has threads.
  [[nodiscard]] static bool any() noexcept;
  void end() noexcept { task_.store(nullptr, std::memory_order_release); }

 private:
  friend class crash_notes;

  const int rank_;
  std::atomic<pthread_t> thread_{};
  std::atomic<trace::stream*> events_{nullptr};
  std::atomic<const task_node*> task_{nullptr};  // Null: none.
  std::atomic<crash_note*> next_{nullptr};
  std::atomic<const place*> last_call_{nullptr};  // Null: not of a program.
  trace::stream* const* events_of_program_ = nullptr;
  std::uintptr_t stack_ = 0;  // Of the program: virtual ranks are one thread with many stacks.
  bool in_run_ = false;
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
