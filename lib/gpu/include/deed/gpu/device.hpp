// SPDX-License-Identifier: MIT
#pragma once

#include <deed/gpu/emulated.hpp>
#include <deed/gpu/fault.hpp>
#include <deed/gpu/space.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// @file
/// `device_set`: the devices that a session may use.

namespace deed::gpu {

class driver;
class device_api;

/// What a session asks for.
struct device_options {
  bool cuda = true;
  bool hip = true;
  emulated_options emulated{};
  /// Bytes per device that deed takes at most; 0 is 9/10 of what is free. `DEED_GPU_MEM`.
  std::size_t memory_limit_bytes = 0;
  fault_plan faults{};       ///< Made over every backend.
  bool check_order = false;  ///< Watches that conflicting accesses are ordered. For tests.
  /// HIP's library is asked also where AMD's kernel driver is not: it may be another one of that
  /// name, such as that of the tests over CUDA. For tests.
  bool any_hip_driver = false;
};

struct device_info {
  device_id id{0};
  backend made_by = backend::emulated;
  int ordinal = 0;  ///< The vendor's number.
  std::string name;
  std::size_t memory_bytes = 0;
  std::size_t limit_bytes = 0;
};

/// Two accesses that nothing ordered.
struct order_report {
  std::string first;
  std::string second;
};

/// The devices found, of all vendors, in one numbering. Making it never fails for want of a device.
///
/// Blocks: while the vendors' libraries start.
/// Threads: the one that made it, until a `driver` uses it.
class device_set {
 public:
  explicit device_set(device_options options = {});
  device_set(device_set&&) noexcept;
  ~device_set();

  [[nodiscard]] int size() const noexcept;
  [[nodiscard]] const device_info& operator[](device_id device) const;
  /// One line for the log: the devices, or why there are none, vendor by vendor.
  [[nodiscard]] std::string summary() const;

  /// With `check_order`: what was not ordered, and how many waits were not needed.
  [[nodiscard]] std::vector<order_report> order_reports() const;
  [[nodiscard]] std::uint64_t redundant_waits() const;
  /// The clock of the emulated devices; zero without any.
  [[nodiscard]] std::chrono::nanoseconds virtual_time() const;
  /// Calls to the vendors' runtimes so far: all, or of one kind.
  [[nodiscard]] std::uint64_t calls() const;
  [[nodiscard]] std::uint64_t calls(operation op) const;
  /// Faults of the plan that were made.
  [[nodiscard]] std::uint64_t faults_made() const;

  struct parts;

 private:
  friend class driver;
  std::unique_ptr<parts> parts_;
};

}  // namespace deed::gpu
