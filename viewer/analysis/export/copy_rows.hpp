// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/run_part.hpp"
#include "analysis/match/device_copy.hpp"

#include <string>
#include <vector>

/// @file
/// What devices copied, as other formats take it.

namespace deed::viewer {

/// Copies of one device and one way, of which no two overlap, by their begin.
struct copy_row {
  std::uint32_t lane = none;  ///< Of the device.
  int rank = 0;
  std::string name;                 ///< "copies to gpu0", "copies from gpu0".
  std::vector<device_copy> copies;  ///< Of each the end is no earlier than the begin.
};

/// Of each device in turn, those to it first: as many rows as there are copies at once.
[[nodiscard]] std::vector<copy_row> copy_rows(const model& of, const run_part& part);

}  // namespace deed::viewer
