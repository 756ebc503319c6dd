// SPDX-License-Identifier: MIT
#include "backend/emulated_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace deed::gpu {
namespace {

std::byte* reserve_addresses(std::size_t bytes, int sharing = MAP_PRIVATE) {
  void* base = mmap(nullptr, bytes, PROT_NONE, sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(base);
}

}  // namespace

emulated_memory::emulated_memory(std::size_t capacity_bytes, bool shared)
    : capacity_(capacity_bytes),
      shared_(shared),
      span_(up_to_page(capacity_bytes * 4) + (std::size_t{256} << 20)) {
  device_base_ = reserve_addresses(span_);
  shadow_base_ = reserve_addresses(span_, shared_ ? MAP_SHARED : MAP_PRIVATE);
}

emulated_memory::~emulated_memory() {
  munmap(device_base_, span_);
  munmap(shadow_base_, span_);
}

std::size_t emulated_memory::reserve(std::size_t bytes) noexcept {
  if (next_ + bytes <= span_) return std::exchange(next_, next_ + bytes);
  // The oldest quarantined range that fits is used again only now that no fresh address is left.
  const auto fits = std::find_if(quarantine_.begin(), quarantine_.end(),
                                 [&](const auto& old) { return old.second >= bytes; });
  if (fits == quarantine_.end()) return span_;
  const std::size_t offset = fits->first;
  quarantine_.erase(fits);
  return offset;
}

void* emulated_memory::allocate(std::size_t bytes) noexcept {
  const std::size_t size = std::max<std::size_t>(up_to_page(bytes), page_bytes);
  if (bytes > capacity_ || used_ + bytes > capacity_) return nullptr;
  const std::size_t offset = reserve(size + page_bytes);
  if (offset == span_) return nullptr;
  if (mprotect(shadow_base_ + offset, size, PROT_READ | PROT_WRITE) != 0) return nullptr;
  std::memset(shadow_base_ + offset, 0xCB, size);
  live_.emplace(offset, range{bytes, size + page_bytes});
  used_ += bytes;
  peak_ = std::max(peak_, used_);
  return device_base_ + offset;
}

bool emulated_memory::release(void* address) noexcept {
  if (!owns(address)) return false;
  const auto found =
      live_.find(static_cast<std::size_t>(static_cast<std::byte*>(address) - device_base_));
  if (found == live_.end()) return false;
  const auto [offset, held] = *found;
  madvise(shadow_base_ + offset, held.reserved - page_bytes, shared_ ? MADV_REMOVE : MADV_DONTNEED);
  mprotect(shadow_base_ + offset, held.reserved - page_bytes, PROT_NONE);
  used_ -= held.bytes;
  quarantine_.emplace_back(offset, held.reserved);
  live_.erase(found);
  return true;
}

std::byte* emulated_memory::shadow(const void* address, std::size_t bytes) const noexcept {
  if (!owns(address)) return nullptr;
  const auto offset =
      static_cast<std::size_t>(static_cast<const std::byte*>(address) - device_base_);
  auto after = live_.upper_bound(offset);
  if (after == live_.begin()) return nullptr;
  const auto& [start, held] = *--after;
  return offset + bytes <= start + held.bytes ? shadow_base_ + offset : nullptr;
}

bool emulated_memory::owns(const void* address) const noexcept {
  const auto* at = static_cast<const std::byte*>(address);
  return at >= device_base_ && at < device_base_ + span_;
}

}  // namespace deed::gpu
