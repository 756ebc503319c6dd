// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

/// @file
/// Counts the memory that a test program takes with `new`: it replaces the operators, so that one
/// source of a program includes it, and that program alone.

namespace counted {

inline std::atomic<std::size_t> live{0}, peak{0};

struct block_header {
  std::size_t bytes;
  std::size_t unused;  // Keeps what follows aligned.
};

}  // namespace counted

void* operator new(std::size_t bytes) {
  auto* const block =
      static_cast<counted::block_header*>(std::malloc(bytes + sizeof(counted::block_header)));
  if (block == nullptr) throw std::bad_alloc();
  block->bytes = bytes;
  const std::size_t now = counted::live += bytes;
  if (now > counted::peak) counted::peak = now;
  return block + 1;
}
void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  counted::block_header* const block = static_cast<counted::block_header*>(memory) - 1;
  counted::live -= block->bytes;
  std::free(block);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

/// From its making on. Threads: one at a time.
class counted_memory {
 public:
  counted_memory() : before_(counted::live) { counted::peak = before_; }
  /// Bytes that were there at once at most, beside those of before.
  [[nodiscard]] std::size_t most() const { return counted::peak - before_; }

 private:
  std::size_t before_;
};
