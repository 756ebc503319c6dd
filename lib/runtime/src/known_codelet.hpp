// SPDX-License-Identifier: MIT
#pragma once

#include <deed/ownership/codelet.hpp>

#include <cstdint>

/// @file
/// What this rank knows of a codelet.

namespace deed::runtime {

/// A codelet that this rank met.
struct known_codelet : ownership::codelet_info {
  std::uint32_t index = 0;   // In the order in which this rank met them.
  std::uint16_t number = 0;  // In the recording.
  std::uint64_t hash = 0;    // Of the name: equal on all ranks.
};

}  // namespace deed::runtime
