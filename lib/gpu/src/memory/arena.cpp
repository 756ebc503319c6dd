// SPDX-License-Identifier: MIT
#include "memory/arena.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace deed::gpu {
namespace {

constexpr std::size_t grain = 256;
constexpr std::size_t largest_class = std::size_t{1} << 20;
constexpr int most_looked_at = 4;

}  // namespace

arena::arena(get_slab get, put_slab put, std::size_t limit_bytes, std::size_t slab_bytes)
    : get_(std::move(get)), put_(std::move(put)), limit_(limit_bytes), slab_bytes_(slab_bytes) {}

arena::~arena() {
  for (const auto& [address, bytes] : slabs_) {
    if (!put_(address).ok()) continue;  // The device is gone; so is its memory.
  }
}

bool arena::owns(const std::byte* address) const noexcept {
  auto after = slabs_.upper_bound(const_cast<std::byte*>(address));
  if (after == slabs_.begin()) return false;
  const auto& [begin, bytes] = *--after;
  return address < begin + bytes;
}

std::size_t arena::rounded(std::size_t bytes) noexcept {
  bytes = std::max(bytes, grain);
  if (bytes > largest_class) return (bytes + grain - 1) / grain * grain;
  const std::size_t step = std::max(grain, std::bit_floor(bytes) / 4);
  return (bytes + step - 1) / step * step;
}

status arena::allocate(std::size_t bytes, block& into, event_list& behind) {
  bytes = rounded(bytes);
  status outcome{error_kind::none, 0, operation::allocate};
  if (!take_kept(bytes, into, behind) && !take_fitting(bytes, into, behind)) {
    flush_kept();
    if (!take_fitting(bytes, into, behind)) {
      // A large block gets a slab of its own size, so that slabs waste little.
      outcome = add_slab(bytes > slab_bytes_ / 2 ? bytes : slab_bytes_);
      if (!outcome.ok()) outcome = add_slab(bytes);
      if (!outcome.ok()) return outcome;
      if (!take_fitting(bytes, into, behind))
        return {error_kind::out_of_memory, 0, operation::allocate};
    }
  }
  used_ += into.bytes;
  peak_ = std::max(peak_, used_);
  return outcome;
}

bool arena::take_kept(std::size_t bytes, block& into, event_list& behind) {
  const auto found = kept_.find(bytes);
  if (found == kept_.end() || found->second.empty()) return false;
  kept& last = found->second.back();
  into = last.whole;
  prune(last.users);
  behind = std::move(last.users);
  found->second.pop_back();
  return true;
}

bool arena::take_fitting(std::size_t bytes, block& into, event_list& behind) {
  auto chosen = free_.lower_bound(bytes);
  if (chosen == free_.end()) return false;
  // A block that is finished with is better than one that fits a little better.
  auto other = chosen;
  for (int i = 0; i < most_looked_at && other != free_.end(); ++i, ++other) {
    if (!all_done(ranges_.at(other->second).users)) continue;
    chosen = other;
    break;
  }
  std::byte* const address = chosen->second;
  free_.erase(chosen);
  range& found = ranges_.at(address);
  prune(found.users);
  found.free = false;
  if (found.bytes > bytes) {
    range rest;
    rest.bytes = found.bytes - bytes;
    rest.free = true;
    rest.users = found.users;
    rest.by_size = free_.emplace(rest.bytes, address + bytes);
    found.bytes = bytes;
    ranges_.emplace(address + bytes, std::move(rest));
  }
  behind = std::move(found.users);
  found.users.clear();
  into = {address, bytes};
  return true;
}

status arena::add_slab(std::size_t bytes) {
  if (reserved_ + bytes > limit_) return {error_kind::out_of_memory, 0, operation::allocate};
  void* address = nullptr;
  const status outcome = get_(bytes, address);
  if (!outcome.ok()) return outcome;
  auto* const begin = static_cast<std::byte*>(address);
  slabs_.emplace(begin, bytes);
  range whole;
  whole.bytes = bytes;
  whole.free = true;
  whole.first = true;
  whole.by_size = free_.emplace(bytes, begin);
  ranges_.emplace(begin, std::move(whole));
  reserved_ += bytes;
  ++slabs_made_;
  return outcome;
}

void arena::release(block old, event_list users) {
  const auto at = ranges_.find(old.address);
  if (at == ranges_.end()) return;  // After `forget_all`.
  used_ -= old.bytes;
  prune(users);
  if (old.bytes <= largest_class) {
    kept_[old.bytes].push_back({old, std::move(users)});
  } else {
    free_range(at, std::move(users));
  }
}

void arena::free_range(ranges::iterator at, event_list users) {
  range& freed = at->second;
  freed.free = true;
  freed.users = std::move(users);
  const auto absorb = [&](ranges::iterator left, ranges::iterator right) {
    range& whole = left->second;
    range& part = right->second;
    whole.bytes += part.bytes;
    prune(part.users);
    std::move(part.users.begin(), part.users.end(), std::back_inserter(whole.users));
    ranges_.erase(right);
  };
  if (const auto next = std::next(at);
      next != ranges_.end() && next->second.free && !next->second.first) {
    free_.erase(next->second.by_size);
    absorb(at, next);
  }
  if (!freed.first && at != ranges_.begin()) {
    if (const auto previous = std::prev(at); previous->second.free) {
      free_.erase(previous->second.by_size);
      absorb(previous, at);
      at = previous;
    }
  }
  at->second.by_size = free_.emplace(at->second.bytes, at->first);
}

void arena::flush_kept() {
  for (auto& [bytes, blocks] : kept_) {
    for (auto& old : blocks) {
      if (const auto at = ranges_.find(old.whole.address); at != ranges_.end()) {
        free_range(at, std::move(old.users));
      }
    }
    blocks.clear();
  }
}

std::size_t arena::trim() {
  flush_kept();
  std::size_t gone = 0;
  for (auto slab = slabs_.begin(); slab != slabs_.end();) {
    const auto at = ranges_.find(slab->first);
    const bool unused = at->second.free && at->second.bytes == slab->second;
    if (!unused || !all_done(at->second.users)) {
      ++slab;
      continue;
    }
    free_.erase(at->second.by_size);
    ranges_.erase(at);
    if (put_(slab->first).ok()) gone += slab->second;
    reserved_ -= slab->second;
    slab = slabs_.erase(slab);
  }
  return gone;
}

void arena::forget_all() noexcept {
  free_.clear();
  ranges_.clear();
  kept_.clear();
  used_ = 0;
}

}  // namespace deed::gpu
