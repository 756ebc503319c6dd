// SPDX-License-Identifier: MIT
#include <deed/ownership/holder_set.hpp>

#include <algorithm>

namespace deed::ownership {

/// A binary search without branches: which way it goes cannot be predicted.
bool holder_set::many_contain(std::uint32_t rank) const noexcept {
  const std::uint32_t* at = many_ + capacity();
  for (std::uint32_t left = count_; left > 1;) {
    const std::uint32_t half = left / 2;
    at += at[half] <= rank ? half : 0;
    left -= half;
  }
  return count_ != 0 && *at == rank;
}

bool holder_set::add_to_many(std::uint32_t rank) {
  if (count_ == capacity()) grow();
  std::uint32_t* const rising = many_ + capacity();
  std::uint32_t* const at = std::lower_bound(rising, rising + count_, rank);
  std::move_backward(at, rising + count_, rising + count_ + 1);
  *at = rank;
  many_[count_++] = rank;
  return true;
}

bool holder_set::remove(std::uint32_t rank) noexcept {
  if (!contains(rank)) return false;
  const auto take_out = [&](std::uint32_t* ranks) {
    std::uint32_t* const at = std::find(ranks, ranks + count_, rank);
    std::move(at + 1, ranks + count_, at);
  };
  take_out(doublings_ == 0 ? few_ : many_);
  if (doublings_ != 0) take_out(many_ + capacity());
  --count_;
  if (doublings_ == 0) few_[count_] = nobody;
  return true;
}

void holder_set::assign(std::span<const std::uint32_t> ranks) {
  for (const std::uint32_t rank : ranks) add(rank);
}

void holder_set::take(holder_set& other) noexcept {
  if (other.doublings_ == 0) {
    std::copy(other.few_, other.few_ + few, few_);
  } else {
    many_ = other.many_;
  }
  count_ = other.count_;
  doublings_ = other.doublings_;
  other.doublings_ = 0;
  other.clear();
}

void holder_set::free_many() noexcept {
  delete[] many_;
  doublings_ = 0;
}

void holder_set::grow() {
  const std::uint32_t wanted = 2 * capacity();
  auto* const larger = new std::uint32_t[2 * wanted];
  const std::uint32_t* const ranks = doublings_ == 0 ? few_ : many_;
  std::copy_n(ranks, count_, larger);
  if (doublings_ == 0) {
    std::partial_sort_copy(ranks, ranks + count_, larger + wanted, larger + wanted + count_);
  } else {
    std::copy_n(many_ + capacity(), count_, larger + wanted);
    delete[] many_;
  }
  many_ = larger;
  ++doublings_;
}

bool operator==(const holder_set& one, const holder_set& two) noexcept {
  return std::ranges::equal(one.view(), two.view());
}

}  // namespace deed::ownership
