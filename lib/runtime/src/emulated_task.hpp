// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/driver.hpp>

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

/// @file
/// A body for processors on the memory of an emulated device.

namespace deed::runtime {

class node_access;
struct task_node;

/// Whether values of these data can be made of bytes in foreign memory.
[[nodiscard]] bool can_emulate(std::span<node_access> accesses) noexcept;

/// Enqueues the body of `task` for processors. `operand_of[i]` is the place of access `i` in
/// `memory`. `takes`: in the device's own time; zero as it takes any kernel. Keeps: the task, until
/// the device has run it.
void emulate(gpu::enqueue& queue, task_node& task, const std::vector<std::uint16_t>& operand_of,
             std::span<const gpu::device_memory> memory, std::chrono::nanoseconds takes);

/// Runs the body for processors on the values as they lie here.
void run_on_storages(task_node& task);

}  // namespace deed::runtime
