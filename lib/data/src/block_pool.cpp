// SPDX-License-Identifier: MIT
#include <deed/data/block_pool.hpp>

#include "blocks_of_a_size.hpp"
#include "heap_block.hpp"

#include <cstring>
#include <new>

/// Is there if the program runs under an address sanitizer.
extern "C" [[gnu::weak]] void __asan_poison_memory_region(const volatile void* at,
                                                          std::size_t bytes);

namespace deed::data {

namespace {

std::size_t whole_lines(std::size_t bytes) noexcept {
  return (bytes + detail::line - 1) / detail::line * detail::line;
}

bool is_watched() noexcept { return &__asan_poison_memory_region != nullptr; }

}  // namespace

block_pool::block_pool(std::size_t most_idle) : most_idle_(most_idle) {}

block_pool::~block_pool() = default;

void* block_pool::take(std::size_t bytes, filling with) noexcept {
  if (is_watched()) return detail::take_heap_block(bytes, with);
  detail::found_block found;
  try {
    const std::lock_guard lock(mutex_);
    detail::blocks_of_a_size& here =
        sizes_.try_emplace(whole_lines(bytes), whole_lines(bytes)).first->second;
    found = here.take();
    if (found.at == nullptr) {  // What others of this rank do not use may be room enough.
      for (auto& [size, blocks] : sizes_) idle_bytes_ -= blocks.release_idle();
      found = here.take();
    }
    if (found.used_before) idle_bytes_ -= whole_lines(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  if (found.used_before && with == filling::zeros) std::memset(found.at, 0, bytes);
  return found.at;
}

void block_pool::give_back(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return;
  if (is_watched()) return detail::free_heap_block(block);
  const std::lock_guard lock(mutex_);
  detail::blocks_of_a_size& here = sizes_.at(whole_lines(bytes));
  const bool whole = here.give_back(block);
  idle_bytes_ += whole_lines(bytes);
  if (whole && idle_bytes_ > most_idle_) idle_bytes_ -= here.release_piece_of(block);
}

std::size_t block_pool::idle_bytes() const {
  const std::lock_guard lock(mutex_);
  return idle_bytes_;
}

std::size_t block_pool::held_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const auto& [size, blocks] : sizes_) sum += blocks.held_bytes();
  return sum;
}

}  // namespace deed::data
