// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>
#include <deed/gpu/driver.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// @file
/// What the tests of this folder share: emulated machines, and loops that step.

namespace deed::gpu::test {

inline device_options emulated(int devices, std::size_t memory_bytes, std::uint64_t seed = 1) {
  device_options options;
  options.cuda = options.hip = false;
  options.emulated = {.devices = devices, .memory_bytes = memory_bytes, .seed = seed};
  options.check_order = true;
  return options;
}

/// Time that each look moves on by a step.
class step_clock final : public deed::clock {
 public:
  explicit step_clock(std::chrono::nanoseconds step) noexcept : step_(step) {}
  [[nodiscard]] std::chrono::nanoseconds now() const noexcept override { return now_ += step_; }

 private:
  std::chrono::nanoseconds step_;
  mutable std::chrono::nanoseconds now_{};
};

/// Steps until everything has ended; false if nothing happens for too long.
inline bool settle(driver& driver, int patience = 1'000'000) {
  for (int nothing = 0; nothing < patience;) {
    if (driver.idle()) return true;
    nothing = driver.step() ? 0 : nothing + 1;
  }
  return false;
}

/// Steps until the lease is ready.
inline bool wait(driver& driver, const host_lease& lease, int patience = 1'000'000) {
  for (int nothing = 0; nothing < patience && !lease.ready();) {
    nothing = driver.step() ? 0 : nothing + 1;
  }
  return lease.ready();
}

template <class T>
memory_block block_of(std::vector<T>& values) {
  const std::size_t bytes = values.size() * sizeof(T);
  return {reinterpret_cast<std::byte*>(values.data()), bytes, 1, bytes, memory_space::host};
}

template <class T>
std::span<T> as(const memory_block& block) {
  return {reinterpret_cast<T*>(block.address), block.bytes() / sizeof(T)};
}

using host_body = std::function<void(std::span<const memory_block>)>;
using device_body = std::function<void(enqueue&, std::span<const device_memory>)>;

/// A task with one body for both places.
inline device_task task_of(int device, std::string name, std::vector<operand> operands,
                           host_body body) {
  device_task task;
  task.device = device_id{device};
  task.name = std::move(name);
  task.operands = std::move(operands);
  task.body = emulated_body(std::move(body));
  return task;
}

using blocks = std::span<const memory_block>;

/// A task that adds 1 to every int of its datum.
inline device_task increment(int device, const coherent_datum& datum,
                             std::string name = "increment") {
  return task_of(device, std::move(name), {{&datum, access_mode::read_write}}, [](blocks memory) {
    for (int& value : as<int>(memory[0])) ++value;
  });
}

/// The text of an error, or "".
inline std::string text_of(const std::exception_ptr& error) {
  if (!error) return "";
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& caught) {
    return caught.what();
  }
}

}  // namespace deed::gpu::test
