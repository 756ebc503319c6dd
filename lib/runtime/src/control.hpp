// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/identity.hpp>
#include <deed/data/archive.hpp>
#include <deed/transport/engine.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

/// @file
/// What ranks tell each other beside values, in the engine's control messages.

namespace deed::runtime {

enum class control : std::uint16_t {
  statement = 1,  ///< To rank 0: what I wait for.
  question,
  answer,
  verdict,  ///< From rank 0: why nobody can go on.
  alarm,    ///< What we submitted does not fit: stop and compare.
  inquiry,  ///< From rank 0: what is it that you submitted there?
  reply,
  account,         ///< To rank 0: what failed here since the last `wait()`.
  settled,         ///< From rank 0: what failed anywhere.
  summary,         ///< To rank 0: what I did.
  ask,             ///< Are you there?
  alive,           ///< I am, and do this.
  messages,        ///< To rank 0: what I sent and received.
  leaks,           ///< To rank 0: what I left.
  insertions,      ///< To rank 0: how many tasks I inserted, by line and by who runs them.
  clock_question,  ///< What does your clock say?
  clock_answer,    ///< This.
};

template <class T>
void tell(transport::engine& engine, int rank, control what, const T& value) {
  data::packed_buffer buffer;
  data::pack(value, buffer);
  engine.send_control(deed::rank{rank}, static_cast<std::uint16_t>(what), buffer.bytes());
}

template <class T>
T heard(std::span<const std::byte> bytes) {
  T value;
  data::unpack(value, bytes);
  return value;
}

}  // namespace deed::runtime
