// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/ask.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// @file
/// What the devices of a run did.

namespace deed::viewer {

[[nodiscard]] bool has_devices(const run& of);
/// Of a lane: a device's. False where a task has none.
[[nodiscard]] bool is_on_device(const run& of, std::uint32_t lane);

/// What the device of a lane is, as its rank recorded it: "NVIDIA H200 (cuda 0000:00:06.0)"; empty:
/// it did not. Its record is one of the first of the rank.
[[nodiscard]] std::string device_name(const run& of, std::uint32_t lane);

/// One row per device: kernels, copies by direction, evictions. No table where there are no
/// devices.
[[nodiscard]] std::vector<table> devices_of(const model& of);
/// One row per way between two memories of a rank, with the times of the device. None if there were
/// no copies.
[[nodiscard]] std::vector<table> copies_of_devices(const model& of, const run_part& part);

/// Where the time of each device went, as `shares` has it: kernels by codelet, copies without a
/// kernel, nothing. Kernels of two queues that overlap count once, for the one that began first.
[[nodiscard]] std::vector<worker_time> time_of_devices(const model& of, const run_part& part);
/// "16 workers and 2 devices".
[[nodiscard]] std::string say_workers(const run& of, const time_shares& all);
/// That emulated devices count no time, where they do not; else empty.
[[nodiscard]] std::string say_no_time_on_devices(const model& of);
/// The same of one kernel or copy on a lane, which took so long; empty for what is no device's.
[[nodiscard]] std::string say_no_time_of(const run& of, std::uint32_t lane, std::int64_t took);

/// What each memory of each rank has of a datum at a moment.
[[nodiscard]] table copies_in_memories(const model& of, std::uint32_t handle, std::int64_t when);

}  // namespace deed::viewer
