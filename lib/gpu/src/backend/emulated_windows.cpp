// SPDX-License-Identifier: MIT
#include "backend/emulated_windows.hpp"

#include "backend/emulated_memory.hpp"
#include <sys/mman.h>

#include <cstdint>
#include <new>

namespace deed::gpu {
namespace {

constexpr std::size_t all_addresses = std::size_t{32} << 30;
constexpr int closed = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

emulated_windows::emulated_windows() {
  void* const base = mmap(nullptr, all_addresses, PROT_NONE, closed, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(base);
}

emulated_windows::~emulated_windows() { munmap(base_, all_addresses); }

emulated_windows::window emulated_windows::open(std::span<std::byte> shared) noexcept {
  const std::size_t before = reinterpret_cast<std::uintptr_t>(shared.data()) % page_bytes;
  const std::size_t bytes = up_to_page(before + shared.size());
  if (shared.empty() || bytes + page_bytes > all_addresses) return {shared.data(), {}};
  const std::lock_guard lock(mutex_);
  if (next_ + bytes + page_bytes > all_addresses) next_ = 0;
  std::byte* const at = base_ + next_;
  // Of a length of zero, `mremap` leaves the old pages where they are, and maps them once more.
  if (mremap(shared.data() - before, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED)
    return {shared.data(), {}};
  next_ += bytes + page_bytes;  // A page between two: what goes too far in one is not in the next.
  return {at + before, {at, bytes}};
}

void emulated_windows::close(const window& old) noexcept {
  if (old.pages.empty()) return;
  mmap(old.pages.data(), old.pages.size(), PROT_NONE, closed | MAP_FIXED, -1, 0);
}

}  // namespace deed::gpu
