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

/// No task, no version: the caller did not say.
inline constexpr std::uint64_t no_number = ~std::uint64_t{0};

/// What a copy is for. An urgent one comes before the others.
enum class copy_reason : std::uint8_t {
  fetch,       ///< A task or the host waits for it.
  prefetch,    ///< A task will want it.
  write_back,  ///< Its memory is wanted for other data.
  clean,       ///< Its memory may be wanted soon.
};

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
  std::uint64_t version = no_number;  ///< Of the value, as `operand` counts.
  std::string_view name{};
  std::size_t bytes = 0;
  bool pinned = false;  ///< Its memory on the host; else it went through the driver's own.
  copy_reason reason = copy_reason::fetch;
  std::uint64_t for_task = no_number;  ///< That asked first.
  device_times when{};
};

/// A datum that had to leave a device.
struct eviction_seen {
  device_id device{0};
  std::uint64_t number = 0;
  std::string_view name{};
  std::size_t bytes = 0;
};

/// Memory of a device that a datum got, or gives back.
struct memory_seen {
  device_id device{0};
  std::uint64_t number = 0;  ///< Of the datum.
  std::size_t bytes = 0;
  std::size_t used = 0;  ///< Of the device, from now on.
  bool evicted = false;  ///< It makes room for other data.
};

/// Hears what a driver did, when it is done. Times are the device's own, mapped to the driver's
/// clock. What failed is not told, and neither is what the vendor refused to measure.
///
/// Threads: who steps, one at a time. The calls must not call the driver.
class driver_watch {
 public:
  virtual ~driver_watch() = default;
  /// Whether the next copy is to be measured: that costs two events.
  [[nodiscard]] virtual bool wants_copies() noexcept = 0;
  virtual void ran(const task_seen& what) noexcept = 0;
  /// It begins; nothing is known of times yet.
  virtual void copying(const copy_seen& what) noexcept = 0;
  virtual void copied(const copy_seen& what) noexcept = 0;
  virtual void evicted(const eviction_seen& what) noexcept = 0;
  virtual void took_memory(const memory_seen&) noexcept {}
  virtual void gave_memory(const memory_seen&) noexcept {}
};

}  // namespace deed::gpu
