// SPDX-License-Identifier: MIT
#include "blocks_of_a_size.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace deed::data::detail {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20, largest_piece = 2 * huge_page;

std::size_t page() noexcept { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

std::byte* mapped(std::size_t bytes) noexcept {
  void* const at =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

/// Where a huge page may begin.
std::byte* mapped_huge(std::size_t bytes) noexcept {
  std::byte* const wide = mapped(bytes + huge_page);
  if (wide == nullptr) return nullptr;
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(wide) % huge_page;
  std::byte* const begin = wide + before;
  if (before != 0) ::munmap(wide, before);
  ::munmap(begin + bytes, huge_page - before);
#ifdef MADV_HUGEPAGE
  ::madvise(begin, bytes, MADV_HUGEPAGE);  // A wish.
#endif
  return begin;
}

std::size_t whole_pages(std::size_t bytes) noexcept {
  return (bytes + page() - 1) / page() * page();
}

}  // namespace

pages::pages(std::size_t bytes) noexcept
    : begin_(bytes < huge_page ? mapped(whole_pages(bytes)) : mapped_huge(whole_pages(bytes))),
      bytes_(begin_ != nullptr ? whole_pages(bytes) : 0) {}

pages::pages(pages&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

pages::~pages() {
  if (begin_ != nullptr) ::munmap(begin_, bytes_);
}

found_block blocks_of_a_size::take() {
  if (!idle_.empty()) {
    std::byte* const last = idle_.back();
    idle_.pop_back();
    ++piece_of(last)->second.used;
    return {last, true};
  }
  if (fresh_ == fresh_end_ && !grow()) return {};
  std::byte* const next = std::exchange(fresh_, fresh_ + block_);
  ++piece_of(next)->second.used;
  return {next, false};
}

bool blocks_of_a_size::give_back(void* block) noexcept {
  idle_.push_back(static_cast<std::byte*>(block));  // There is room: see `grow`.
  return --piece_of(block)->second.used == 0;
}

std::size_t blocks_of_a_size::release_piece_of(void* block) noexcept {
  return release(piece_of(block));
}

std::size_t blocks_of_a_size::release_idle() noexcept {
  std::size_t idle = 0;
  for (auto at = pieces_.begin(); at != pieces_.end();) {
    const auto which = at++;
    if (which->second.used == 0) idle += release(which);
  }
  return idle;
}

std::size_t blocks_of_a_size::held_bytes() const noexcept {
  std::size_t sum = 0;
  for (const auto& [at, each] : pieces_) sum += each.memory.bytes();
  return sum;
}

blocks_of_a_size::pieces::iterator blocks_of_a_size::piece_of(void* block) noexcept {
  return std::prev(pieces_.upper_bound(static_cast<std::byte*>(block)));
}

std::size_t blocks_of_a_size::release(pieces::iterator which) noexcept {
  std::byte* const begin = which->second.memory.begin();
  std::byte* const end = which->second.memory.end();
  const auto is_inside = [&](std::byte* at) { return begin <= at && at < end; };
  const std::size_t idle = std::erase_if(idle_, is_inside) * block_;
  if (fresh_ != fresh_end_ && is_inside(fresh_)) fresh_ = fresh_end_ = nullptr;
  blocks_ -= which->second.blocks;
  pieces_.erase(which);
  return idle;
}

/// As many more as there are, so that what is never used is no more than what is.
bool blocks_of_a_size::grow() {
  const std::size_t fit = std::max<std::size_t>(largest_piece / block_, 1);
  const std::size_t wanted = std::clamp(blocks_, std::max<std::size_t>(page() / block_, 1), fit);
  piece fresh{pages(wanted * block_), wanted};
  if (fresh.memory.begin() == nullptr) return false;
  idle_.reserve(blocks_ + wanted);
  std::byte* const begin = fresh.memory.begin();
  pieces_.emplace(begin, std::move(fresh));
  fresh_ = begin;
  fresh_end_ = begin + wanted * block_;
  blocks_ += wanted;
  return true;
}

}  // namespace deed::data::detail
