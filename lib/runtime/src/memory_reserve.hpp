// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace deed::runtime {

/// Memory that is given back when memory ends, so that there is some to say so: the allocation that
/// met the end fails, its report finds room. Only the address space is taken, nothing is written.
/// Of the process, as the handler of `new` is: a program that has set its own keeps that.
class memory_reserve {
 public:
  memory_reserve() noexcept;
  memory_reserve(const memory_reserve&) = delete;
  memory_reserve& operator=(const memory_reserve&) = delete;
  ~memory_reserve();

  static constexpr std::size_t bytes = std::size_t{8} << 20;
};

}  // namespace deed::runtime
