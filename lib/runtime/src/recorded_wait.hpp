// SPDX-License-Identifier: MIT
#pragma once

#include <deed/trace/events.hpp>
#include <deed/trace/stream.hpp>

#include <cstdint>

/// @file
/// A wait of the program in its recording.

namespace deed::runtime {

/// From its begin to its end, however that comes.
class recorded_wait {
 public:
  recorded_wait(trace::stream& of_program, trace::wait_kind what, std::uint64_t id,
                std::uint32_t where, const trace::awaited_message& message = {},
                std::uint32_t number = trace::nothing) noexcept
      : of_program_(of_program), what_(what), id_(id) {
    of_program_.wait_begin(what, id, where, message, number);
  }
  recorded_wait(const recorded_wait&) = delete;
  recorded_wait& operator=(const recorded_wait&) = delete;
  ~recorded_wait() { of_program_.wait_end(what_, id_); }

 private:
  trace::stream& of_program_;
  const trace::wait_kind what_;
  const std::uint64_t id_;
};

}  // namespace deed::runtime
