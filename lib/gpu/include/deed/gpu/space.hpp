// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/memory.hpp>

#include <compare>

/// @file
/// Where memory is, and which device a number names.

/// For functions that a kernel calls: nothing where the compiler knows no device.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define DEED_HOST_DEVICE __host__ __device__
#define DEED_DEVICE_ONLY __device__
#else
#define DEED_HOST_DEVICE
#endif

namespace deed::gpu {

/// True where the processor can read an address.
template <memory_space Space>
inline constexpr bool host_accessible = Space != memory_space::device;

/// One device of a `device_set`. Range: `[0, device_set.size())`.
struct device_id {
  constexpr explicit device_id(int number) noexcept : value(number) {}
  int value;
  friend constexpr auto operator<=>(device_id, device_id) = default;
};

/// Whose runtime drives a device.
enum class backend : unsigned char { cuda, hip, emulated };

}  // namespace deed::gpu
