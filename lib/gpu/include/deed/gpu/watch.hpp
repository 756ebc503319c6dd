// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/space.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// `driver_watch`: what a driver tells of its work, for recordings and measurements.

namespace deed::gpu {

/// A stretch of a device's time, on the driver's clock.
struct device_times {
  std::chrono::nanoseconds begin{};
  std::chrono::nanoseconds end{};
  [[nodiscard]] std::chrono::nanoseconds length() const noexcept { return end - begin; }
};

/// A task that ran on a device. `number` is the task's own, as it was submitted.
struct task_seen {
  device_id device{0};
  int queue = 0;  ///< Of the device's streams for kernels.
  std::uint64_t number = 0;
  device_times when{};
};

/// A copy of a datum. Nodes: -1 is the host, else a device. `number` is the datum's own.
struct copy_seen {
  int from = -1;
  int to = -1;
  std::uint64_t number = 0;
  std::string_view name{};
  std::size_t bytes = 0;
  bool pinned = false;  ///< Its memory on the host; else it went through the driver's own.
  device_times when{};
};

/// A datum that had to leave a device.
struct eviction_seen {
  device_id device{0};
  std::uint64_t number = 0;
  std::string_view name{};
  std::size_t bytes = 0;
};

/// Hears what a driver did, when it is done. Times are the device's own, mapped to the driver's
/// clock; none where the vendor refused to measure, then nothing is told.
///
/// Threads: who steps, one at a time. The calls must not call the driver.
class driver_watch {
 public:
  virtual ~driver_watch() = default;
  /// Whether the next copy is to be measured: that costs two events.
  [[nodiscard]] virtual bool wants_copies() noexcept = 0;
  virtual void ran(const task_seen& what) noexcept = 0;
  virtual void copied(const copy_seen& what) noexcept = 0;
  virtual void evicted(const eviction_seen& what) noexcept = 0;
};

}  // namespace deed::gpu
