// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/read/run.hpp"

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

/// @file
/// What devices copied.

namespace deed::viewer {

/// A rank, and one of its memories: 0 is the host's, a device has its lane's number and one more.
using memory_of_rank = std::pair<int, std::uint64_t>;

/// With the times of the device.
struct device_copy {
  std::uint32_t lane = 0;   ///< Of the device that made it.
  std::uint32_t event = 0;  ///< The record of its end.
  std::uint32_t handle = 0, version = 0;
  memory_of_rank to, from;
  std::int64_t begin = 0, end = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] auto what() const { return std::tuple(handle, version, to); }
  [[nodiscard]] std::int64_t took() const { return end - begin; }
};

/// Those of a run, by lane, then by their begin.
/// Cost: one pass over the events where there are devices, else none.
[[nodiscard]] std::vector<device_copy> find_device_copies(const run& of);

}  // namespace deed::viewer
