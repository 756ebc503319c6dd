// SPDX-License-Identifier: MIT
#include "driver/pinned.hpp"

#include <iterator>
#include <vector>

/// @file
/// Memory of the program that devices copy from and to without a stop.

namespace deed::gpu {

bool pinned_memory::pin(const std::vector<device_api*>& runtimes, std::byte* address,
                        std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  std::vector<device_api*> done;
  for (device_api* const each : runtimes) {
    if (each->register_host(address, bytes).ok()) {
      done.push_back(each);
      continue;
    }
    for (device_api* const undone : done) static_cast<void>(undone->unregister_host(address).ok());
    return false;
  }
  if (done.empty()) return false;
  ranges_.emplace(address, range{bytes, std::move(done)});
  return true;
}

void pinned_memory::unpin(const std::byte* address) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = ranges_.find(address);
  if (found == ranges_.end()) return;
  release(found->first, found->second);
  ranges_.erase(found);
}

void pinned_memory::unpin_all() noexcept {
  const std::lock_guard lock(mutex_);
  for (const auto& [address, pinned] : ranges_) release(address, pinned);
  ranges_.clear();
}

bool pinned_memory::has(const memory_block& block) const {
  const std::lock_guard lock(mutex_);
  const auto after = ranges_.upper_bound(block.address);
  if (after == ranges_.begin()) return false;
  const auto& [address, pinned] = *std::prev(after);
  return block.address + block.bytes() <= address + pinned.bytes;
}

void pinned_memory::release(const std::byte* address, const range& pinned) noexcept {
  // A vendor that refuses has lost its device, and the memory with it.
  for (device_api* const each : pinned.by)
    static_cast<void>(each->unregister_host(const_cast<std::byte*>(address)).ok());
}

}  // namespace deed::gpu
