// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/model.hpp"

#include <cstdint>
#include <unordered_map>

/// @file
/// Tasks that opened the gates of messages.

namespace deed::viewer {

struct gate_opener {
  std::uint32_t task = none;
  std::int64_t when = never;
};

/// By transfer: a thread that opens the last gate of a message sends it before it does anything
/// else.
/// Cost: one pass over the events; none where no explicit message was recorded.
[[nodiscard]] std::unordered_map<std::uint32_t, gate_opener> gate_openers(const model& of);

}  // namespace deed::viewer
