// SPDX-License-Identifier: MIT
#include <deed/base/call_stack.hpp>

// Not <execinfo.h>: `backtrace` loads a library at its first call and gives nothing until its last
// frame, and does not tell which of them a signal interrupted.
#if __has_include(<unwind.h>)
#include <unwind.h>
#define DEED_UNWINDS 1
#endif

namespace deed {

#ifdef DEED_UNWINDS
namespace {

struct walk {
  call_stack& into;
  std::uintptr_t from = 0;
  int left_out = 0;  // Frames still to come before the first that counts; -1: those until `from`.
};

_Unwind_Reason_Code note_frame(_Unwind_Context* frame, void* data) {
  walk& now = *static_cast<walk*>(data);
  int interrupted = 0;
  const std::uintptr_t at = _Unwind_GetIPInfo(frame, &interrupted);
  if (now.left_out < 0) {
    if (at == now.from) now.left_out = 0;
    return _URC_NO_REASON;
  }
  if (now.left_out > 0) {
    --now.left_out;
    return _URC_NO_REASON;
  }
  if (at == 0) return _URC_END_OF_STACK;
  now.into.add(reinterpret_cast<const void*>(interrupted != 0 ? at : at - 1));
  return now.into.full() ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace
#endif

[[gnu::noinline]] call_stack call_stack::of_caller() noexcept {
  call_stack found;
#ifdef DEED_UNWINDS
  walk now{.into = found, .left_out = 2};  // This function, and the one that calls it.
  _Unwind_Backtrace(note_frame, &now);
#endif
  return found;
}

void call_stack::unwind_from(const void* interrupted) noexcept {
  count_ = 0;
  add(interrupted);
#ifdef DEED_UNWINDS
  walk now{.into = *this, .from = reinterpret_cast<std::uintptr_t>(interrupted), .left_out = -1};
  _Unwind_Backtrace(note_frame, &now);
#endif
}

}  // namespace deed
