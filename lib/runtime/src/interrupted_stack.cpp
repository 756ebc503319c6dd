// SPDX-License-Identifier: MIT
#include "interrupted_stack.hpp"

#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

namespace deed::runtime {
namespace {

/// Null on other processors: then the handler's own place is not told from it, and there is none.
const void* place_of_code(const void* context) noexcept {
  const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(machine.pc);
#else
  return nullptr;
#endif
}

/// Where nothing was called as code, through a null pointer: it made no frame.
const void* caller_of_nothing(const void* context) noexcept {
  const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return *reinterpret_cast<const char* const*>(machine.gregs[REG_RSP]) - 1;
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(machine.regs[30] - 1);
#else
  return nullptr;
#endif
}

}  // namespace

/// What `look` does may end at any instruction: it takes no lock and leaves nothing behind.
template <class Look>
void interrupted_stack::guarded(Look look) noexcept {
  sigset_t faults, before;
  sigemptyset(&faults);
  sigaddset(&faults, SIGSEGV);
  sigaddset(&faults, SIGBUS);
  if (sigsetjmp(back_, 1) == 0) {  // With the mask, which comes back by `siglongjmp`.
    pthread_sigmask(SIG_UNBLOCK, &faults, &before);
    looks_.store(gettid(), std::memory_order_relaxed);
    look();
    looks_.store(0, std::memory_order_relaxed);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  looks_.store(0, std::memory_order_relaxed);
}

void interrupted_stack::find(const void* context) noexcept {
  guarded([this, context] { found_.unwind_from(place_of_code(context)); });
  if (found_.addresses().size() == 1)
    guarded([this, context] { found_.add(caller_of_nothing(context)); });
}

void interrupted_stack::go_on() noexcept {
  if (looks_.load(std::memory_order_relaxed) == gettid()) siglongjmp(back_, 1);
}

}  // namespace deed::runtime
