// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/memory.hpp>

#include "backend/device_api.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

/// @file
/// Which memory of the program the vendors' runtimes have pinned.

namespace deed::gpu {

/// Threads: any.
class pinned_memory {
 public:
  /// False, and nothing is pinned, if there is no runtime or one refuses.
  [[nodiscard]] bool pin(const std::vector<device_api*>& runtimes, std::byte* address,
                         std::size_t bytes);
  void unpin(const std::byte* address) noexcept;
  void unpin_all() noexcept;
  [[nodiscard]] bool has(const memory_block& block) const;

 private:
  struct range {
    std::size_t bytes;
    std::vector<device_api*> by;
  };
  static void release(const std::byte* address, const range& pinned) noexcept;

  mutable std::mutex mutex_;
  std::map<const std::byte*, range, std::less<>> ranges_;
};

}  // namespace deed::gpu
