// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/driver.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// @file
/// A body for processors on the memory of an emulated device.

namespace deed::runtime {

class node_access;
struct task_node;

/// Whether values of these data can be made of bytes in foreign memory.
[[nodiscard]] bool can_emulate(std::span<node_access> accesses) noexcept;

/// Enqueues `run`, which gets the bytes of `memory` where the device keeps them. `takes`: in the
/// device's own time; zero as it takes any kernel.
void emulate(gpu::enqueue& queue, std::span<const gpu::device_memory> memory,
             std::function<void(std::span<std::byte* const>)> run, std::chrono::nanoseconds takes);

/// Runs the body of `task` for processors on such bytes. `operand_of[i]` is the place of access `i`
/// in them; behind those of all accesses comes that of its scratch, if it has some.
void run_on_bytes(task_node& task, const std::vector<std::uint16_t>& operand_of,
                  std::span<std::byte* const> addresses);

/// Runs the body for processors on the values as they lie here.
void run_on_storages(task_node& task);

}  // namespace deed::runtime
