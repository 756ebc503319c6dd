// SPDX-License-Identifier: MIT
#include <deed/runtime/pinned_buffer.hpp>

#include "core.hpp"
#include "devices.hpp"

namespace deed::runtime {

bool pin(core& home, std::span<std::byte> memory) { return home.pin(memory); }
void unpin(core& home, const std::byte* address) noexcept { home.unpin(address); }

bool core::pin(std::span<std::byte> memory) { return devices_ != nullptr && devices_->pin(memory); }
void core::unpin(const std::byte* address) noexcept {
  if (devices_ != nullptr) devices_->unpin(address);  // They let go of all when they ended.
}

}  // namespace deed::runtime
