// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"

/// @file
/// What the devices of a run did.

namespace deed::viewer {

/// One row per device: kernels, copies by direction, evictions. No table where there are no
/// devices.
[[nodiscard]] std::vector<table> devices_of(const model& of);
/// One row per way between two memories of a rank, with the times of the device. None if there were
/// no copies.
[[nodiscard]] std::vector<table> copies_of_devices(const model& of, const run_part& part);

/// What was said last of the copies of a datum in each memory of each rank, until a moment.
[[nodiscard]] table copies_in_memories(const model& of, std::uint32_t handle, std::int64_t when);

}  // namespace deed::viewer
