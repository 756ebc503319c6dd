// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/call_stack.hpp>

#include <setjmp.h>
#include <sys/types.h>

#include <atomic>
#include <span>

/// @file
/// Where a thread was when a signal interrupted it.

namespace deed::runtime {

/// For handlers of signals, in memory that was there before. A stack that is damaged makes its own
/// unwinding fault: then what was found until there counts.
///
/// Threads: `find` by one at a time.
class interrupted_stack {
 public:
  /// `context`: as the handler was given it. It calls the handler again for SIGSEGV and SIGBUS,
  /// which has to begin with `go_on`.
  void find(const void* context) noexcept;
  /// Returns, if this thread is not in `find`.
  void go_on() noexcept;
  [[nodiscard]] std::span<const void* const> addresses() const noexcept {
    return found_.addresses();
  }

 private:
  template <class Look>
  void guarded(Look look) noexcept;

  std::atomic<pid_t> looks_{0};  // The thread that is in `find`.
  sigjmp_buf back_{};
  call_stack found_;
};

}  // namespace deed::runtime
