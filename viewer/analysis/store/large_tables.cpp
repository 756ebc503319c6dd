// SPDX-License-Identifier: MIT
#include "analysis/store/large_tables.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>  // Says which C library there is.
#include <cstdint>
#include <cstdlib>
#include <new>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t page = 4096;

/// Null: there is not so much memory. The whole huge pages of it are huge, its end is not.
void* large(std::size_t bytes) noexcept {
  void* const memory = std::aligned_alloc(huge_page, (bytes + page - 1) / page * page);
#ifdef MADV_HUGEPAGE
  if (memory != nullptr) ::madvise(memory, bytes / page * page, MADV_HUGEPAGE);  // A wish.
#endif
  return memory;
}

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
/// What is smaller than a table lies in the heap. It grows by a gigabyte at a time, which is none
/// before it is used: else it would grow by less than a huge page.
void grow_by_huge_pages() noexcept {
  constexpr std::uintptr_t most = std::uintptr_t{1} << 30;
  ::mallopt(M_TOP_PAD, most);
  void* const first = std::malloc(huge_page);
  const auto begin = (reinterpret_cast<std::uintptr_t>(first) / huge_page + 1) * huge_page;
  const auto end = reinterpret_cast<std::uintptr_t>(::sbrk(0)) / huge_page * huge_page;
  std::free(first);
  // Elsewhere, where there is no such heap, or a limit on it.
  if (first == nullptr || end < begin || end - begin > 2 * most) return;
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // A wish.
}
#else
void grow_by_huge_pages() noexcept {}
#endif

}  // namespace

void* operator new(std::size_t bytes) {
  while (true) {
    if (void* const memory = bytes >= huge_page ? large(bytes) : std::malloc(bytes | 1))
      return memory;
    const std::new_handler help = std::get_new_handler();
    if (help == nullptr) throw std::bad_alloc();
    help();
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }

namespace deed::viewer {

void share_memory() noexcept {
#ifdef __GLIBC__
  constexpr int large = 4 << 20;
  ::mallopt(M_MMAP_THRESHOLD, large);
  ::mallopt(M_TRIM_THRESHOLD, large);
  ::mallopt(M_ARENA_MAX, 1);
#endif
  grow_by_huge_pages();
}

}  // namespace deed::viewer
