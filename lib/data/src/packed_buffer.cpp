// SPDX-License-Identifier: MIT
#include <deed/data/packed_buffer.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>

namespace deed::data {

namespace {

/// The first touch of a megabyte in huge pages takes a fortieth of what it takes in small ones.
void wish_for_huge_pages(std::byte* begin, std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t worth_it = std::size_t{4} << 20;
  if (bytes < worth_it) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t inside = reinterpret_cast<std::uintptr_t>(begin) % page;
  // From its page on: memory of two kinds could not be moved as one when it grows.
  ::madvise(begin - inside, bytes + inside, MADV_HUGEPAGE);
#else
  static_cast<void>(begin), static_cast<void>(bytes);
#endif
}

}  // namespace

packed_buffer::~packed_buffer() { std::free(data_); }

void packed_buffer::grow_by(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::ptrdiff_t>::max() - size_) throw std::bad_alloc();
  grow_to(std::max({size_ + bytes, 2 * capacity_, std::size_t{256}}));
}

void packed_buffer::grow_to(std::size_t capacity) {
  void* const moved = std::realloc(data_, capacity);
  if (moved == nullptr) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(moved);
  capacity_ = capacity;
  wish_for_huge_pages(data_, capacity_);
}

}  // namespace deed::data
