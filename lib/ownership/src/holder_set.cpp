// SPDX-License-Identifier: MIT
#include <deed/ownership/holder_set.hpp>

#include <algorithm>
#include <cstring>

namespace deed::ownership {

bool holder_set::contains(std::uint32_t rank) const noexcept {
  const auto ranks = view();
  if (ranks.size() <= few) return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
  return std::binary_search(ranks.begin(), ranks.end(), rank);
}

bool holder_set::add(std::uint32_t rank) {
  if (contains(rank)) return false;
  if (count_ == (capacity_ == 0 ? few : capacity_)) grow();
  std::uint32_t* const ranks = capacity_ == 0 ? few_ : many_;
  std::uint32_t* const at = std::lower_bound(ranks, ranks + count_, rank);
  std::move_backward(at, ranks + count_, ranks + count_ + 1);
  *at = rank;
  ++count_;
  return true;
}

bool holder_set::remove(std::uint32_t rank) noexcept {
  std::uint32_t* const ranks = capacity_ == 0 ? few_ : many_;
  std::uint32_t* const at = std::find(ranks, ranks + count_, rank);
  if (at == ranks + count_) return false;
  std::move(at + 1, ranks + count_, at);
  --count_;
  return true;
}

void holder_set::assign(std::span<const std::uint32_t> ranks) {
  const auto count = static_cast<std::uint32_t>(ranks.size());
  if (count > few) {
    many_ = new std::uint32_t[count];
    capacity_ = count;
  }
  std::copy(ranks.begin(), ranks.end(), capacity_ == 0 ? few_ : many_);
  count_ = count;
}

void holder_set::take(holder_set& other) noexcept {
  if (other.capacity_ == 0) {
    std::copy(other.few_, other.few_ + few, few_);
  } else {
    many_ = other.many_;
  }
  count_ = other.count_;
  capacity_ = other.capacity_;
  other.capacity_ = 0;
  other.count_ = 0;
}

void holder_set::free_many() noexcept {
  delete[] many_;
  capacity_ = 0;
}

void holder_set::grow() {
  const std::uint32_t wanted = 2 * (capacity_ == 0 ? few : capacity_);
  auto* const larger = new std::uint32_t[wanted];
  std::copy_n(capacity_ == 0 ? few_ : many_, count_, larger);
  if (capacity_ != 0) delete[] many_;
  many_ = larger;
  capacity_ = wanted;
}

bool operator==(const holder_set& one, const holder_set& two) noexcept {
  return std::ranges::equal(one.view(), two.view());
}

}  // namespace deed::ownership
