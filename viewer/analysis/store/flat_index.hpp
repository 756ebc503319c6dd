// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// @file
/// From keys to places in a table.

namespace deed::viewer {

/// A hash table with open addressing, of numbers below 2^32 - 1. `Hash` has to spread its keys.
/// Cost: (sizeof(Key) + 4) / 0.3 to 0.6 bytes per key; a look-up is one miss of the cache.
template <class Key, class Hash>
class flat_index {
 public:
  static constexpr std::uint32_t absent = ~std::uint32_t{0};

  /// The number of `key`; `fresh` if there is none yet. True if it is new.
  std::pair<std::uint32_t, bool> add(const Key& key, std::uint32_t fresh) {
    if (10 * (size_ + 1) > 6 * slots_.size()) grow();
    slot& at = slot_of(key);
    if (at.number != absent) return {at.number, false};
    at = {key, fresh};
    ++size_;
    return {fresh, true};
  }
  void put(const Key& key, std::uint32_t number) {
    if (!add(key, number).second) slot_of(key).number = number;
  }
  /// `absent` if there is none.
  [[nodiscard]] std::uint32_t find(const Key& key) const {
    return slots_.empty() ? absent : const_cast<flat_index&>(*this).slot_of(key).number;
  }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

 private:
  struct slot {
    Key key{};
    std::uint32_t number = absent;
  };

  slot& slot_of(const Key& key) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = Hash{}(key)&mask;; i = (i + 1) & mask)
      if (slots_[i].number == absent || slots_[i].key == key) return slots_[i];
  }
  void grow() {
    std::vector<slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (const slot& each : old)
      if (each.number != absent) slot_of(each.key) = each;
  }

  std::vector<slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace deed::viewer
