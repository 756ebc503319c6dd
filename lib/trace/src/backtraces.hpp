// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/events.hpp>

#include "barectf.h"
#include "code_names.hpp"
#include "event_writer.hpp"

#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <span>
#include <thread>

/// @file
/// Where threads were, among the definitions of a rank, and what handlers of signals define.

namespace deed::trace::detail {

/// Threads: any; `defining` guards all of it, and the stream that it writes to.
class backtraces {
 public:
  /// `texts`: how many there are, of whoever defines one.
  backtraces(std::mutex& defining, definition_writer& to, std::uint32_t& texts) noexcept
      : defining_(defining), to_(to), texts_(texts) {}

  /// Lines that somebody else made.
  [[nodiscard]] std::uint32_t define(const char* lines) {
    const std::scoped_lock lock(defining_);
    return write(lines);
  }
  [[nodiscard]] std::uint32_t define(std::span<const void* const> addresses) {
    const std::scoped_lock lock(defining_);
    try {
      names_.look();
    } catch (const std::bad_alloc&) {  // What was loaded since has no names; the error is told.
    }
    return write(names_.lines(addresses));
  }
  /// In a handler of signals: `nothing` where what was interrupted is a definition of this thread,
  /// or that would need another packet.
  [[nodiscard]] std::uint32_t define_in_handler(std::span<const void* const> addresses) noexcept {
    const std::unique_lock lock = locked_in_handler();
    if (!lock) return nothing;
    const char* const lines = names_.lines(addresses);
    return has_room_for(lines) ? write(lines) : nothing;
  }
  [[nodiscard]] std::uint32_t define_in_handler(const char* text) noexcept {
    const std::unique_lock lock = locked_in_handler();
    if (!lock || !has_room_for(text)) return nothing;
    deed_ctf_definitions_trace_text(to_.context(), texts_, text);
    to_.commit();
    return texts_++;
  }

 private:
  [[nodiscard]] std::unique_lock<std::mutex> locked_in_handler() noexcept {
    std::unique_lock lock(defining_, std::try_to_lock);
    for (int tries = 0; !lock && tries < 1'000; ++tries) {  // Others hold it for a moment.
      std::this_thread::yield();
      static_cast<void>(lock.try_lock());
    }
    return lock;
  }
  [[nodiscard]] bool has_room_for(const char* text) const noexcept {
    constexpr std::size_t around = 32;  // The head of an event, and its other fields.
    return to_.has_room(std::strlen(text) + around);
  }
  std::uint32_t write(const char* lines) noexcept {
    deed_ctf_definitions_trace_backtrace(to_.context(), next_, lines);
    to_.commit();
    return next_++;
  }

  std::mutex& defining_;
  definition_writer& to_;
  std::uint32_t& texts_;
  code_names names_;
  std::uint32_t next_ = 0;
};

}  // namespace deed::trace::detail
